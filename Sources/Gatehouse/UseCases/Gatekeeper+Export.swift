extension Gatekeeper {
    /// Everything that is held about the caller.
    package func export(of caller: Caller) throws(Refusal) -> UserExport {
        let user = try currentUser(caller)
        let now = world.now()
        return try asking { () throws(StoreFailure) in
            UserExport(
                user: user, accounts: try store.accounts(of: user.id),
                sessions: try store.sessions(of: user.id, aliveAt: now),
                events: try store.auditEvents(of: user.id), moment: now)
        }
    }
}
