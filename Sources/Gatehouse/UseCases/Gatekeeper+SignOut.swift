extension Gatekeeper {
    /// Ends the session of an access token, and that of a refresh token of the same user where one is given.
    ///
    /// A token of somebody else is refused before anything has ended. A session that has ended already is no
    /// fault: the answer to the first request may have been lost.
    package func signOut(_ accessToken: String?, refreshToken: String?) throws(Refusal) {
        let now = world.now()
        let caller = try claimedCaller(accessToken, now: now)
        var sessions = [caller.sessionID]
        if let refreshToken, let other = try sessionOf(refreshToken, heldBy: caller, now: now) {
            sessions.append(other)
        }
        for session in sessions { _ = try end(session, for: .logout, now: now) }
    }

    /// Ends a session in the store first and then for the access tokens already out there.
    func end(_ session: SessionID, for reason: RevokeReason, now: Timestamp) throws(Refusal) -> Bool {
        let ended = try asking { () throws(StoreFailure) in try store.revoke(session, for: reason, now: now) }
        // Also where somebody else has ended it: their request may not have come this far yet.
        revoked.insert(session, revokedAt: now)
        return ended
    }

    private func sessionOf(_ token: String, heldBy caller: Caller, now: Timestamp) throws(Refusal) -> SessionID? {
        do throws(Refusal) {
            let presented = try tokens.readRefreshToken(token, now: now)
            guard presented.userID == caller.userID else { throw .invalidRefreshToken }
            return presented.sessionID == caller.sessionID ? nil : presented.sessionID
        } catch {
            guard error == .refreshTokenExpired else { throw error }
            return nil  // Its session has ended by itself.
        }
    }
}
