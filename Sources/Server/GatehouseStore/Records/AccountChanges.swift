package import Gatehouse
import SQL

extension RelationalStore {
    package func accounts(of user: UserID) throws(Refusal) -> [LinkedAccount] {
        try reading { try $0.accounts(of: user) }
    }

    package func record(_ link: NewLink) throws(Refusal) -> LinkDecision {
        try writing { connection in
            try connection.lock(link.redemption, nil)
            try connection.lock(link.identity)
            try connection.lock(link.user)
            try connection.lockSessions(of: link.user)
            let user = try connection.user(link.user)
            guard try connection.mayChange(user, as: link.event) else { return .callerEnded }
            let facts = try connection.facts(of: link)
            let decision = link.decide(on: facts, of: user)
            try connection.write(decision, of: link, by: user, former: facts.known?.account)
            return decision
        }
    }

    package func unlink(
        _ provider: Provider, of id: UserID, recording event: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision, ended: [EndedSession]) {
        try writing { connection in
            try connection.lock(id)
            try connection.lockSessions(of: id)
            return try connection.unlink(provider, of: id, recording: event)
        }
    }

    package func delete(
        _ id: UserID, queueing task: AppleTask?, recording event: AuditEntry
    ) throws(Refusal) -> Deletion? {
        try writing { try $0.delete(id, queueing: task, recording: event, now: event.moment) }
    }
}

extension RecordConnection {
    /// Whether a user may still make a change of their account: they are active, and the session that asks for it has not ended.
    /// Another node may have ended either since the request was admitted. Operators, who have no session, may make any change.
    ///
    /// The user and the sessions are locked.
    func mayChange(_ user: @autoclosure () throws -> User?, as event: AuditEntry) throws -> Bool {
        guard let id = event.sessionID else { return true }
        guard try user()?.status == .active, let session = try session(id)?.session else { return false }
        return session.revokedAt == nil
    }

    /// The user and the sessions are locked.
    func unlink(
        _ provider: Provider, of id: UserID, recording event: AuditEntry
    ) throws -> (decision: UnlinkDecision, ended: [EndedSession]) {
        guard let user = try user(id) else { return (.nothing, []) }
        guard try mayChange(user, as: event) else { return (.callerEnded, []) }
        let decision = UnlinkDecision(provider, of: user, with: try accounts(of: id))
        guard case .unlink(let changed) = decision else { return (decision, []) }
        if provider == .apple { _ = try queueRevocation(of: id, now: event.moment) }
        try unlink(provider, of: user, changing: changed, now: event.moment)
        let ended = try revokeAll(
            of: id, openedBy: provider, except: event.sessionID, for: .accountUnlinked, now: event.moment)
        try insert(event)
        return (decision, ended)
    }

    func facts(of link: NewLink) throws -> IdentityFacts {
        let (known, otherUser) = try known(link.identity)
        return IdentityFacts(
            known: known, otherUser: otherUser,
            barredFrom: known == nil ? try owner(ofBarred: link.identityHashes) : nil,
            use: try use(of: link.redemption), accounts: try accounts(of: link.user))
    }

    fileprivate func write(_ decision: LinkDecision, of link: NewLink, by user: User?, former: LinkedAccount?) throws {
        let now = link.event.moment
        switch decision {
        case .link(let account, let changed):
            try self.link(account, to: user, changing: changed, now: now)
            try insert(user?.notices(of: .linked, at: now) ?? [])
            if let task = link.task { try insert(task) }
            try insert(link.event)
        case .replace(let former, let account, let changed):
            try deleteAccounts(of: link.user, provider: former.provider)
            try insert(UserEvent(.unlinked(former.provider), of: link.user, at: now))
            try self.link(account, to: user, changing: changed, now: now)
            try insert(user?.notices(of: .removed(former), at: now) ?? [])
            try insert(link.event)
        case .alreadyLinked(let account):
            if let former, former != account {
                try update(account, formerSubject: former.subject, now: now)
            }
        case .taken, .replayed, .usedNonce, .callerEnded, .noGuest:
            return
        }
        guard let redemption = link.redemption else { return }
        try markRedeemed(redemption, by: link.identity.provider)
        try linkReplayGrace(of: redemption, to: link.identity)
    }
}

// MARK: - Accounts with their events

extension RecordConnection {
    /// - Parameters:
    ///   - user: as they were before.
    ///   - changed: the user with another address; nil if the address stays.
    func link(
        _ account: LinkedAccount, to user: User?, changing changed: User?, now: Timestamp
    ) throws {
        guard let user else { return }
        try insert(account, of: user.id)
        if let changed { try updateAddress(of: changed, now: now) }
        try insert(UserEvent(.linked(account.provider), of: user.id, at: now))
        // Also the phone number and the end of being a guest, which triggers write.
        try insertUpdate(of: user, at: now)
    }

    /// - Parameters: as above.
    func unlink(_ provider: Provider, of user: User, changing changed: User?, now: Timestamp) throws {
        let former = try accounts(of: user.id).first { $0.provider == provider }
        try deleteAccounts(of: user.id, provider: provider)
        try insert(former.map { user.notices(of: .removed($0), at: now) } ?? [])
        if provider == .phone { try logChange(of: user.id) }
        if let changed { try updateAddress(of: changed, now: now) }
        try insert(UserEvent(.unlinked(provider), of: user.id, at: now))
        try insertUpdate(of: user, at: now)
    }
}

extension RecordConnection {
    /// Nil if there is no such user, or if the user may not change the account any more.
    ///
    /// - Parameter event: nil if the caller writes the audit trail.
    func delete(
        _ id: UserID, for reason: RevokeReason = .userDeleted, queueing task: AppleTask?, recording event: AuditEntry?,
        now: Timestamp
    ) throws -> Deletion? {
        try lock(id)
        // Before the rows of the user, and before the audit trail: the end of a session adds to it.
        try lockSessions(of: id)
        if let event, try !mayChange(try user(id), as: event) { return nil }
        guard try anonymise(id, now: now) else { return nil }
        let revocation = try queueRevocation(of: id, queueing: task, now: now)
        try deleteAccounts(of: id)
        try send("DELETE FROM merges WHERE user_id = ?1 OR other_id = ?1", .text(id.text))
        try insert(UserEvent(.deleted(joining: nil), of: id, at: now))
        if let event { try insert(event) }
        let ended = try deleteSessions(of: id, for: reason, now: now)
        return Deletion(ended: ended, revocation: revocation)
    }

    private func queueRevocation(
        of user: UserID, queueing task: AppleTask?, now: Timestamp
    ) throws -> AppleRevocation {
        guard try hasAccount(user, of: .apple) else { return .notNeeded }
        if try queueRevocation(of: user, now: now) { return .queued }
        if let task {
            try insert(task)
            return .queued
        }
        // A queued code is exchanged after the user is deleted, and then the token that Apple returns is revoked.
        return try awaitsExchange(user, now: now) ? .queued : .byHand
    }
}
