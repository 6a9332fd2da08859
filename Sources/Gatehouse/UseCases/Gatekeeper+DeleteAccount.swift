extension Gatekeeper {
    /// Takes everything personal from the caller's account and ends it. The same person signing in later is a new user.
    package func deleteAccount(of caller: Caller) throws(Refusal) {
        // From where is personal, too.
        let event = AuditEvent(.userDeleted, at: world.now(), userID: caller.userID, sessionID: caller.sessionID)
        let ended = try asking { () throws(StoreFailure) in try store.delete(caller.userID, noting: event) }
        guard let ended else { throw .sessionRevoked }
        forget(ended, at: event.moment)
        notice(.sessionsEnded(.userDeleted, count: ended.count))
    }
}
