extension Gatekeeper {
    /// Ends the session of an access token, and that of a refresh token of the same user where one is given.
    ///
    /// A token of somebody else is refused before anything has ended. A session that has ended already is no
    /// fault: the answer to the first request may have been lost.
    package func signOut(
        _ accessToken: ArraySlice<UInt8>?, refreshToken: String?, from device: Device = .unknown
    ) throws(Refusal) {
        let now = world.now()
        let caller = try claimedCaller(accessToken, now: now)
        var sessions = [caller.sessionID]
        if let refreshToken, let other = try sessionOf(refreshToken, heldBy: caller, now: now) {
            sessions.append(other)
        }
        for session in sessions {
            _ = try end(
                session, for: .logout,
                noting: AuditEvent(.logout, at: now, userID: caller.userID, sessionID: session, device: device))
        }
    }

    /// Ends a session in the store first and then for the access tokens already out there.
    func end(_ session: SessionID, for reason: RevokeReason, noting event: AuditEvent) throws(Refusal) -> Bool {
        let ended = try asking { () throws(StoreFailure) in
            try store.revoke(session, for: reason, noting: event)
        }
        // Also where somebody else has ended it: their request may not have come this far yet.
        revocations.insert(session, at: event.moment)
        if ended { notice(.sessionsEnded(reason, count: 1)) }
        return ended
    }

    /// Whether this is a token that we issued for a session that goes on. Throws for one that we did not issue.
    private func holds(_ presented: PresentedToken) throws(Refusal) -> Bool {
        let found = try asking { () throws(StoreFailure) in try store.session(presented.sessionID) }
        guard let session = found?.session else { throw .invalidRefreshToken }
        guard session.revokedAt == nil else { return false }
        let issued = [session.token.hash, session.previousHash ?? session.token.hash]
        guard issued.contains(where: { world.equal(presented.hash, $0) }) else { throw .invalidRefreshToken }
        return true
    }

    private func sessionOf(_ token: String, heldBy caller: Caller, now: Timestamp) throws(Refusal) -> SessionID? {
        do throws(Refusal) {
            let presented = try tokens.readRefreshToken(token, now: now)
            guard presented.userID == caller.userID else { throw .invalidRefreshToken }
            guard presented.sessionID != caller.sessionID else { return nil }
            return try holds(presented) ? presented.sessionID : nil
        } catch {
            guard error == .refreshTokenExpired else { throw error }
            return nil  // Its session has ended by itself.
        }
    }
}
