extension Gatekeeper {
    /// The caller's sessions that go on, the one used last first.
    package func sessions(of caller: Caller) throws(Refusal) -> [Session] {
        try asking { () throws(StoreFailure) in try store.sessions(of: caller.userID, aliveAt: world.now()) }
    }

    /// Ends one session of the caller's. One that has ended already is no fault, one of somebody else is not there.
    package func endSession(_ id: SessionID, of accessToken: ArraySlice<UInt8>?, from device: Device) throws(Refusal) {
        let now = world.now()
        let caller = try claimedCaller(accessToken, now: now)
        // Whoever asks again to end their own session may have missed the answer.
        if id != caller.sessionID { _ = try authenticate(accessToken) }
        let found = try asking { () throws(StoreFailure) in try store.session(id) }
        guard let session = found?.session, session.userID == caller.userID else { throw .notFound }
        let event = AuditEvent(
            .sessionRemoved, at: now, userID: caller.userID, sessionID: session.id, device: device)
        _ = try end(session.id, for: .removed, noting: event)
    }
}
