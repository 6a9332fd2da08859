extension Gatekeeper {
    /// Takes everything personal from the caller's account and ends it. The same person signing in later is a new user.
    ///
    /// - Parameter authorizationCode: a fresh one of Apple's, for when there is nothing else to tell Apple with.
    /// - Parameter credential: proves the login anew where it is too old.
    package func deleteAccount(
        of caller: Caller, authorizationCode: String? = nil, credential: AppleCredential? = nil
    ) throws(Refusal) -> AppleRevocation {
        let now = world.now()
        try demandRecentLogin(of: caller, or: credential, now: now)
        // From where is personal, too.
        let event = AuditEvent(.userDeleted, at: now, userID: caller.userID, sessionID: caller.sessionID)
        let deletion = try asking { () throws(StoreFailure) in
            // What Apple gives for the code belongs to nobody any more, and is then revoked.
            let app = try store.session(caller.sessionID)?.session.clientID ?? policy.defaultClientID
            let task = exchange(authorizationCode, of: caller.userID, for: app, now: now)
            return try store.delete(caller.userID, asking: task, noting: event)
        }
        guard let deletion else { throw .sessionRevoked }
        forget(deletion.sessions, at: now)
        notice(.sessionsEnded(.userDeleted, count: deletion.sessions.count))
        return deletion.revocation
    }
}
