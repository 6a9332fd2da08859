package import Gatehouse
import SQL
import Text

private let passkeyColumns = Passkey.columns.selected(from: "p")

private let passkeyByCredential = """
    SELECT a.provider_user_id, a.user_id, \(passkeyColumns)
    FROM passkeys p JOIN auth_accounts a ON a.id = p.account_id WHERE p.credential_id = ?
    """

private let insertPasskey = """
    INSERT INTO passkeys (\(Passkey.columns.inserted), account_id)
    SELECT \(Passkey.columns.places), id FROM auth_accounts WHERE provider = ? AND provider_user_id = ?
    """

private let passkeysOfUser = """
    SELECT \(passkeyColumns) FROM auth_accounts a JOIN passkeys p ON p.account_id = a.id
    WHERE a.user_id = ?1 AND a.provider = 'PASSKEY'
    """

// MARK: - The store

extension RelationalStore {
    package func passkey(
        _ credentialID: [UInt8]
    ) throws(Refusal) -> (passkey: Passkey, subject: String, user: UserID)? {
        try reading { try $0.passkey(credentialID) }
    }

    package func passkeys(of user: UserID) throws(Refusal) -> [Passkey] {
        try reading { try $0.passkeys(of: user) }
    }

    package func record(_ new: NewPasskey) throws(Refusal) -> PasskeyDecision {
        try writing { try $0.record(new) }
    }

    package func rename(passkey id: String, of user: UserID, to name: String?) throws(Refusal) -> Passkey? {
        try writing { connection in
            try connection.lock(user)
            guard var passkey = try connection.passkey(id, of: user) else { return nil }
            passkey.name = name
            try connection.send("UPDATE passkeys SET name = ? WHERE id = ?", .optional(name), .text(id))
            return passkey
        }
    }

    package func remove(
        passkey id: String, of user: UserID, recording event: AuditEntry, unlinking: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision?, ended: [EndedSession]) {
        try writing { connection in
            try connection.lock(user)
            try connection.lockSessions(of: user)
            guard try connection.mayChange(try connection.user(user), as: event) else { return (.callerEnded, []) }
            let passkeys = try connection.passkeys(of: user)
            guard passkeys.contains(where: { $0.id == id }) else { return (.nothing, []) }
            var result: (decision: UnlinkDecision?, ended: [EndedSession]) = (nil, [])
            if passkeys.count > 1 {
                try connection.send("DELETE FROM passkeys WHERE id = ?", .text(id))
            } else {
                let (decision, ended) = try connection.unlink(.passkey, of: user, recording: unlinking)
                guard case .unlink = decision else { return (decision, []) }
                result = (decision, ended)
            }
            try connection.insert(event)
            return result
        }
    }
}

// MARK: - Changes

extension RecordConnection {
    fileprivate func record(_ new: NewPasskey) throws -> PasskeyDecision {
        let (link, now) = (new.link, new.event.moment)
        try lock(link.redemption, nil)
        try lock([link.identity, new.passkey.lockName])
        try lock(link.user)
        try lockSessions(of: link.user)
        guard let user = try user(link.user), try mayChange(user, as: new.event) else { return .callerEnded }
        guard try use(of: link.redemption) == .first else { return .outdated }
        guard try passkey(new.passkey.credentialID) == nil else { return .taken }
        guard try passkeys(of: user.id).count < Passkey.most else { return .tooMany }
        switch link.decide(on: try facts(of: link), of: user) {
        case .link(let account, _):
            try self.link(account, to: user, changing: nil, now: now)
            try insert(link.event)
        case .alreadyLinked: break
        case .replace, .taken, .replayed, .usedNonce, .callerEnded, .noGuest: return .outdated
        }
        try insert(new.passkey, of: .passkey, link.identity.subject)
        try insert(new.event)
        try insert(user.notices(of: .passkeyAdded, at: now))
        if let redemption = link.redemption { try markRedeemed(redemption) }
        return .add
    }

    /// What a login knows of its passkey. Another request may bring the same new one.
    func stored(_ proof: PasskeyProof, of identity: Identity) throws -> Passkey? {
        if case .new(let passkey) = proof { try lock([passkey.lockName]) }
        guard let (passkey, subject, _) = try passkey(proof.credentialID) else { return nil }
        if case .use = proof, subject != identity.subject { return nil }
        return passkey
    }

    /// What a login changes of its passkey.
    func write(_ proof: PasskeyProof, of login: Login, _ accepted: AcceptedLogin) throws {
        switch proof {
        case .new(let passkey):
            try insert(passkey, of: .passkey, login.identity.subject)
            let session = accepted.session
            try insert(
                AuditEntry(
                    .passkeyAdded, at: login.moment, userID: session.userID, sessionID: session.id, provider: .passkey,
                    device: session.device, detail: passkey.id))
        case .use(let use):
            try send(
                """
                UPDATE passkeys SET sign_count = ?, backup_eligible = ?, backed_up = ?, last_used_at = ?
                WHERE credential_id = ?
                """,
                .integer(use.signCount), .flag(use.isBackupEligible), .flag(use.isBackedUp),
                .integer(login.moment.milliseconds), .blob(use.credentialID))
        }
    }

    func insert(_ passkey: Passkey, of provider: Provider, _ subject: String) throws {
        try send(insertPasskey, values: passkey.insertedValues() + [.text(provider.rawValue), .text(subject)])
    }
}

extension Passkey {
    /// Two requests with one credential wait for each other by its name, as those with one identity do.
    fileprivate var lockName: Identity {
        Identity(provider: .passkey, subject: "credential " + Hexadecimal.text(credentialID), email: nil)
    }
}

// MARK: - Reads

extension RecordConnection {
    func passkey(_ credentialID: [UInt8]) throws -> (passkey: Passkey, subject: String, user: UserID)? {
        try first(passkeyByCredential, .blob(credentialID)) { row in
            var columns = ColumnCounter()
            let (subject, user) = (row.text(columns.next()), UserID(row.text(columns.next())))
            return (try Passkey(row: row, &columns), subject, user)
        }
    }

    fileprivate func passkey(_ id: String, of user: UserID) throws -> Passkey? {
        try first(passkeysOfUser + " AND p.id = ?2", .text(user.text), .text(id)) { try Passkey(row: $0) }
    }

    fileprivate func passkeys(of user: UserID) throws -> [Passkey] {
        try all(passkeysOfUser + " ORDER BY p.created_at, p.id", .text(user.text)) { try Passkey(row: $0) }
    }
}

extension RecordConnection {
    /// The passkeys of all users whose ids lie between two.
    func passkeys(ofUsersFrom first: UserID, through last: UserID) throws -> [(user: UserID, passkey: Passkey)] {
        try all(
            """
            SELECT a.user_id, \(passkeyColumns) FROM auth_accounts a JOIN passkeys p ON p.account_id = a.id
            WHERE a.user_id >= ? AND a.user_id <= ? AND a.provider = 'PASSKEY' ORDER BY p.created_at, p.id
            """,
            .text(first.text), .text(last.text)
        ) { row in
            var columns = ColumnCounter()
            let user = UserID(row.text(columns.next()))
            return (user, try Passkey(row: row, &columns))
        }
    }
}

extension Passkey: Record {
    static let columns = ColumnList(of: Passkey.self, in: "passkeys")

    static var unread: Passkey {
        Passkey(id: "", credentialID: [], publicKey: [], algorithm: 0, createdAt: Timestamp(milliseconds: 0))
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("id", &id, row)
        try column("credential_id", &credentialID, row)
        try column("public_key", &publicKey, row)
        try column("algorithm", &algorithm, row)
        try column("sign_count", &signCount, row)
        var words = transports.joined(separator: " ")
        try column("transports", &words, row)
        transports = words.split(separator: " ").map(String.init)
        try column("backup_eligible", &isBackupEligible, row)
        try column("backed_up", &isBackedUp, row)
        try column("aaguid", &aaguid, row)
        try column("name", &name, row)
        try column("created_at", &createdAt, row)
        try column("last_used_at", &lastUsedAt, row)
    }
}
