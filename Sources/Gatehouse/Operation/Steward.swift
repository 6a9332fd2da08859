/// What operators do, beside a server that may be running: it sees what they did before they are told that it is done.
package struct Steward: Sendable {
    let store: any OperatorStore
    let now: @Sendable () -> Timestamp
    /// Who the operator is, for the audit trail.
    let operatorName: String?

    package init(
        store: any OperatorStore, now: @escaping @Sendable () -> Timestamp, operatorName: String? = nil
    ) {
        self.store = store
        self.now = now
        self.operatorName = operatorName
    }

    package func users(_ query: UserQuery) throws(StoreFailure) -> [UserRecord] { try store.users(query) }

    /// The user with this id, or those with this email address: several people may share one.
    package func users(called name: String) throws(StoreFailure) -> [FoundUser] { try store.users(called: name) }

    package func sessions(of user: UserID) throws(StoreFailure) -> [Session] {
        try store.sessions(of: user, aliveAt: now())
    }

    /// False where the user is not active anyway.
    package func disable(_ user: UserID) throws(StoreFailure) -> Bool {
        try signing { () throws(StoreFailure) in try store.disable(user, noting: event(.userDisabled, user)) }
    }

    /// False where the user is not disabled.
    package func enable(_ user: UserID) throws(StoreFailure) -> Bool {
        try signing { () throws(StoreFailure) in try store.enable(user, noting: event(.userEnabled, user)) }
    }

    /// False where it is the user's role already. Their sessions go on: they refresh, and have it.
    package func setRole(_ role: Role, of user: UserID) throws(StoreFailure) -> Bool {
        var event = event(.roleChanged, user)
        event.detail = role.rawValue
        return try signing { () throws(StoreFailure) in try store.setRole(role, of: user, noting: event) }
    }

    /// False where the user is deleted already.
    package func delete(_ user: UserID) throws(StoreFailure) -> Bool {
        try signing { () throws(StoreFailure) in
            try store.delete(user, asking: nil, noting: event(.userDeleted, user)) != nil
        }
    }

    /// How many have ended.
    package func revokeSessions(of user: UserID) throws(StoreFailure) -> Int {
        try signing { () throws(StoreFailure) in
            try store.revokeAll(of: user, for: .revoked, noting: event(.sessionsRevoked, user)).count
        }
    }

    /// Whether it was alive; nil where there is none.
    package func revoke(_ session: SessionID) throws(StoreFailure) -> Bool? {
        guard let found = try store.session(session) else { return nil }
        var event = event(.sessionsRevoked, found.user.id)
        event.sessionID = session
        guard found.session.token.expiresAt > event.moment else { return false }
        return try signing { () throws(StoreFailure) in
            try store.revoke(session, for: .revoked, noting: event)
        }
    }

    package func auditEvents(_ query: AuditQuery) throws(StoreFailure) -> [AuditEvent] {
        try store.auditEvents(query)
    }

    private func event(_ kind: AuditEvent.Kind, _ user: UserID) -> AuditEvent {
        var event = AuditEvent(kind, at: now(), by: .operator, userID: user)
        event.operatorName = operatorName
        return event
    }

    /// Also where nothing was changed: the one who did change it may have been killed before it could say so.
    private func signing<Result>(_ change: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        let result = try change()
        store.signRevocation()
        return result
    }
}
