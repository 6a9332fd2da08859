/// All data about a user. The parts are read one after the other.
package struct UserExport: Sendable {
    package let user: User
    package let accounts: [LinkedAccount]
    package let sessions: [Session]
    package let events: [AuditEvent]
    package let moment: Timestamp
}

extension AuthService {
    package func export(of caller: Caller) throws(Refusal) -> UserExport {
        let user = try currentUser(caller)
        let now = primitives.now()
        return UserExport(
            user: user, accounts: try store.accounts(of: user.id),
            sessions: try store.sessions(of: user.id, aliveAt: now), events: try store.auditEvents(of: user.id),
            moment: now)
    }
}
