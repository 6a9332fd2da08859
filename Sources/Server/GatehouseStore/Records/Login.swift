package import Gatehouse
import SQL

extension RelationalStore {
    package func record(
        _ login: Login, limit: Int, opening session: @escaping (_ known: User?) -> NewSession
    ) throws(Refusal) -> LoginOutcome {
        try writing { connection in
            if let redemption = login.redemption { try connection.lock(redemption) }
            try connection.lock(login.identity)
            let known = try connection.known(login.identity)
            if let user = known?.user, user.status != .active { return .inactive(user) }
            if known == nil, let user = try connection.owner(ofBarred: login.identityHashes) {
                // This login may be the first that contains the identity's other subject, after a transfer of the app.
                try connection.bar(login.identityHashes, of: user, now: login.moment)
                return .barred(user)
            }
            // Checked before the first write: the transaction is committed also if the login is refused.
            let use = try login.redemption.map(connection.state(of:))
            switch use {
            case .replayed: return .replayed
            case .usedNonce: return .usedNonce
            case .fresh, .repeated, nil: break
            }
            let new = session(known?.user)
            let user = try connection.user(of: login, opening: new, known: known)
            precondition(new.session.userID == user.id, "a session is opened for the user of the identity")
            if let redemption = login.redemption { try connection.markRedeemed(redemption) }
            try connection.insert(new.session, redeeming: login.redemption)
            try connection.insert(new.auditEvent)
            // An authorization code can be exchanged once, and the first login has queued that.
            if use != .repeated, let task = new.task { try connection.insert(task) }
            // A new user has one session.
            guard known != nil else { return .recorded(user, ended: []) }
            return .recorded(user, ended: try connection.enforce(limit, after: new))
        }
    }
}

extension RecordConnection {
    /// The user of a login as they are now: the new one, or the known one with what this login adds.
    fileprivate func user(of login: Login, opening new: NewSession, known: KnownIdentity?) throws -> User {
        if let known { return try record(login, at: new.session.createdAt, of: known) }
        try insert(new.user, lastLoginBy: login.identity.provider)
        try insert(login.identity, of: new.user.id, now: new.user.createdAt)
        return new.user
    }

    /// Records a login of a known user, fills empty fields, and updates the account from the identity.
    private func record(_ login: Login, at moment: Timestamp, of known: KnownIdentity) throws -> User {
        var user = known.user
        try updateAddress(of: &user, from: login.identity, account: known.account)
        user.nickname = user.nickname ?? login.nickname
        try send(
            """
            UPDATE users SET email = ?, email_verified = ?, nickname = ?, last_login_at = ?, last_login_provider = ?,
                updated_at = ?
            WHERE id = ?
            """,
            .optional(user.email), .flag(user.emailVerified), .optional(user.nickname), .integer(moment.milliseconds),
            .text(login.identity.provider.rawValue), .integer(moment.milliseconds), .text(user.id.text))
        if known.account.subject != login.identity.subject { try applyTransfer(of: login.identity, now: moment) }
        if known.account.differs(from: login.identity) { try update(login.identity, now: moment) }
        return user
    }

    /// Keeps the active sessions of a user within the limit after a new one was opened.
    fileprivate func enforce(_ limit: Int, after new: NewSession) throws -> [SessionID] {
        let (user, now) = (new.session.userID, new.session.createdAt)
        let ended = try enforce(limit, on: user, except: new.session.id, now: now)
        guard !ended.isEmpty else { return [] }
        try insert(
            AuditEvent(
                .sessionLimit, at: now, userID: user, sessionID: ended.count == 1 ? ended[0] : nil,
                device: new.session.device, count: Int64(ended.count)))
        return ended
    }
}

extension RecordConnection {
    /// Fills an empty address, and has one that came from this identity follow it. An identity without an address
    /// changes nothing.
    ///
    /// - Parameter account: the account of the identity, before this login.
    private func updateAddress(
        of user: inout User, from identity: Identity, account: LinkedAccount
    ) throws {
        guard let address = identity.email else { return }
        if let current = user.email, current.isSameAddress(as: address) {
            user.emailVerified = identity.emailVerified ?? user.emailVerified
        } else if let current = user.email, try !isSource(account, of: current, of: user.id) {
            return
        } else {
            user.emailVerified = identity.hasVerifiedEmail
        }
        user.email = address
    }

    /// Whether a user's address came from this account: it is the oldest one that has the address, or none has it.
    private func isSource(
        _ account: LinkedAccount, of address: String, of user: UserID
    ) throws -> Bool {
        let source = try accounts(of: user).first { $0.email?.isSameAddress(as: address) == true }
        return source == nil || source?.provider == account.provider && source?.subject == account.subject
    }
}

extension String {
    /// Compares addresses as the databases do: byte by byte, with A to Z in either case. Swift's own comparison treats more
    /// characters as equal.
    fileprivate func isSameAddress(as other: String) -> Bool {
        withLowerASCII.utf8.elementsEqual(other.withLowerASCII.utf8)
    }

    /// With A to Z in lower case, and every other byte as it is: what `lower` returns in the databases.
    var withLowerASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
