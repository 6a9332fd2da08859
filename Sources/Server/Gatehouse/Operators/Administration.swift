/// The use cases of operators. They may run while a server uses the same database: the server sees a change
/// before the method returns.
package struct Administration: Sendable {
    let store: any OperatorStore
    let now: @Sendable () -> Timestamp
    /// The operator's name for the audit trail.
    let operatorName: String?

    package init(
        store: any OperatorStore, now: @escaping @Sendable () -> Timestamp, operatorName: String? = nil
    ) {
        (self.store, self.now, self.operatorName) = (store, now, operatorName)
    }

    package func users(_ query: UserQuery) throws(Refusal) -> [UserRecord] { try store.users(query) }

    /// The user with this id or number, or the users with this email address: several may share one.
    package func users(called name: String) throws(Refusal) -> [FoundUser] {
        for form in (try? PhoneNumber(ofAnyKind: name))?.forms ?? [name] {
            let found = try store.users(called: form)
            if !found.isEmpty { return found }
        }
        return []
    }

    package func sessions(of user: UserID) throws(Refusal) -> [Session] {
        try store.sessions(of: user, aliveAt: now())
    }

    /// False when the user is not active.
    package func disable(_ user: UserID) throws(Refusal) -> Bool {
        let isDone = try store.disable(user, recording: event(.userDisabled, user))
        store.incrementRevocationCounter()
        return isDone
    }

    /// False when the user is not disabled.
    package func enable(_ user: UserID) throws(Refusal) -> Bool {
        let isDone = try store.enable(user, recording: event(.userEnabled, user))
        store.incrementRevocationCounter()
        return isDone
    }

    /// False when the user has the role already. Their sessions go on: a refresh gives them a token with the new role.
    package func setRole(_ role: Role, of user: UserID) throws(Refusal) -> Bool {
        var event = event(.roleChanged, user)
        event.detail = role.rawValue
        let isDone = try store.setRole(role, of: user, recording: event)
        store.incrementRevocationCounter()
        return isDone
    }

    /// False when the user is deleted already.
    package func delete(_ user: UserID) throws(Refusal) -> Bool {
        let deletion = try store.delete(user, queueing: nil, recording: event(.userDeleted, user))
        store.incrementRevocationCounter()
        return deletion != nil
    }

    /// Unlinks an account of a user, and ends the sessions that it opened.
    package func unlink(_ provider: Provider, from user: UserID) throws(Refusal) -> UnlinkDecision {
        var event = event(.accountUnlinked, user)
        event.provider = provider
        let (decision, _) = try store.unlink(provider, of: user, recording: event)
        store.incrementRevocationCounter()
        return decision
    }

    /// The number of sessions that ended.
    package func revokeSessions(of user: UserID) throws(Refusal) -> Int {
        let ended = try store.revokeAll(of: user, for: .revoked, recording: event(.sessionsRevoked, user))
        store.incrementRevocationCounter()
        return ended.count
    }

    /// Whether the session was active; nil when it does not exist.
    package func revoke(_ session: SessionID) throws(Refusal) -> Bool? {
        guard let found = try store.session(session) else { return nil }
        var event = event(.sessionsRevoked, found.user.id)
        event.sessionID = session
        guard found.session.token.expiresAt > event.moment else { return false }
        let wasActive = try store.revoke(session, for: .revoked, recording: event)
        store.incrementRevocationCounter()
        return wasActive
    }

    package func auditEvents(_ query: AuditQuery) throws(Refusal) -> [AuditEntry] {
        try store.auditEvents(query)
    }

    /// The last entry of the audit trail before which no other one can appear any more.
    package func lastSettledEntry() throws(Refusal) -> Int64 { try store.lastSettledEntry() }

    package func auditEntries(after number: Int64, through last: Int64, limit: Int) throws(Refusal) -> [NumberedEntry] {
        try store.auditEntries(after: number, through: last, limit: limit)
    }

    // MARK: Merges

    /// What a merge would do; nil if one of the users does not exist.
    package func mergePlan(of user: UserID, into other: UserID) throws(Refusal) -> MergePlan? {
        try store.mergePlan(of: user, into: other, now: now())
    }

    /// - Parameter vault: encrypts the tokens of Apple; nil for none, which loses them.
    package func merge(
        _ user: UserID, into other: UserID, reason: String?, vault: (any Vault)?
    ) throws(Refusal) -> (outcome: SupportOutcome, plan: MergePlan?) {
        let actor = SupportActor(operatorName: operatorName, reason: reason)
        let result = try store.merge(
            UserMerge(of: user, into: other, by: actor, at: now()), resealing: AuthService.reseal(by: vault)
        ) { _, _ in nil }
        store.incrementRevocationCounter()
        return result
    }

    package func unmerge(
        _ user: UserID, reason: String?, vault: (any Vault)?
    ) throws(Refusal) -> (outcome: SupportOutcome, merge: RecordedMerge?) {
        let actor = SupportActor(operatorName: operatorName, reason: reason)
        let result = try store.unmerge(user, by: actor, now: now(), resealing: AuthService.reseal(by: vault)) { _, _ in
            nil
        }
        store.incrementRevocationCounter()
        return result
    }

    // MARK: Events for other services

    package func events(_ query: EventQuery) throws(Refusal) -> [QueuedEvent] { try store.events(query) }

    /// Makes events due at once, at most as many as the limit of the query. Returns how many.
    package func retry(_ query: EventQuery) throws(Refusal) -> Int { try store.retry(query, now: now()) }

    /// Deletes the dead letters among them, at most as many as the limit of the query. Returns how many.
    package func discard(_ query: EventQuery) throws(Refusal) -> Int {
        var query = query
        query.onlyDead = true
        return try store.discard(query)
    }

    package func receiverStates() throws(Refusal) -> [ReceiverState] { try store.receiverStates() }

    /// False if no receiver has this name.
    package func resume(_ receiver: String) throws(Refusal) -> Bool { try store.resume(receiver, now: now()) }

    /// Removes a receiver with its events, in steps, so that no request waits for long.
    package func forget(_ receiver: String) throws(Refusal) {
        while try store.forget(receiver, limit: 1000) {}
    }

    private func event(_ kind: AuditEntry.Kind, _ user: UserID) -> AuditEntry {
        var event = AuditEntry(kind, at: now(), by: .operator, userID: user)
        event.operatorName = operatorName
        return event
    }
}
