extension Gatekeeper {
    /// Ends every session of the caller.
    package func signOutEverywhere(_ accessToken: ArraySlice<UInt8>?, from device: Device) throws(Refusal) {
        let caller: Caller
        do throws(Refusal) {
            caller = try authenticate(accessToken)
        } catch {
            // The answer to the first request may have been lost.
            guard error == .sessionRevoked, try hasEnded(accessToken, for: .logoutEverywhere) else { throw error }
            return
        }
        let event = AuditEvent(
            .logoutEverywhere, at: world.now(), userID: caller.userID, sessionID: caller.sessionID, device: device)
        let ended = try asking { () throws(StoreFailure) in
            try store.revokeAll(of: caller.userID, for: .logoutEverywhere, noting: event)
        }
        forget(ended, at: event.moment)
        notice(.sessionsEnded(.logoutEverywhere, count: ended.count))
    }

    /// Makes the access tokens of sessions that have just ended worthless.
    func forget(_ sessions: [SessionID], at moment: Timestamp) {
        for session in sessions { revocations.insert(session, at: moment) }
    }

    private func hasEnded(_ accessToken: ArraySlice<UInt8>?, for reason: RevokeReason) throws(Refusal) -> Bool {
        let caller = try claimedCaller(accessToken, now: world.now())
        let found = try asking { () throws(StoreFailure) in try store.session(caller.sessionID) }
        return found?.session.revokeReason == reason
    }
}
