extension AuthService {
    /// Ends the session of an access token, and that of a refresh token of the same user if one is given.
    ///
    /// A refresh token of another user is refused before anything has ended. A session that has ended already is not an
    /// error: the client may have missed the first answer.
    package func logOut(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, refreshToken: String?,
        from device: Device = .unknown, in context: inout RequestContext
    ) throws(Refusal) {
        let now = platform.now()
        let caller = try claimedCaller(accessToken, now: now, in: &context)
        var sessions = [caller.sessionID]
        if let refreshToken {
            let presented = try readRefreshToken(refreshToken)
            guard presented.userID == caller.userID else { throw .invalidRefreshToken }
            if presented.sessionID != caller.sessionID, try storedSession(presented) != nil {
                sessions.append(presented.sessionID)
            }
        }
        try requireProof(
            proof(), of: caller, with: accessToken, mayHaveEnded: true, from: device, now: now, in: context)
        for session in sessions { try logOut(session, of: caller.userID, from: device, now: now, in: context) }
    }

    /// Ends the session of a refresh token, also of one that has expired or was superseded: a client that logged out
    /// without a network sends its token later.
    package func logOut(
        refreshToken: String, proof: @autoclosure () -> SentProof?, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) {
        let now = platform.now()
        guard let session = try session(of: refreshToken, in: &context) else { return }
        if session.isBound, session.revokedAt == nil {
            let proven = Result { () throws(DPoPFault) in try verify(proof(), now: now, requestID: context.id) }
            _ = try use(proven, for: session.id, from: device, now: now, in: context)
        }
        try logOut(session.id, of: session.userID, from: device, now: now, in: context)
    }

    /// Ends the session of a refresh token or of an access token (RFC 7009). A token that was not issued here, and an
    /// access token that has expired, end nothing and get the same answer.
    ///
    /// For a refresh token no proof is looked at: RFC 9449 defines none for a revocation, which harms the owner alone. An
    /// access token of a bound session needs one, because every service to which it is sent has it.
    package func revoke(
        _ token: String, proof: @autoclosure () -> SentProof?, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) {
        do throws(Refusal) {
            let now = platform.now()
            do throws(Refusal) {
                guard let session = try session(of: token, in: &context) else { return }
                try logOut(session.id, of: session.userID, from: device, now: now, in: context)
            } catch .notARefreshToken(.access) {
                let caller = try claimedCaller(SentAccessToken(Array(token.utf8)[...]), now: now, in: &context)
                // The token is not sent as the request's credentials, so the proof need not contain its hash.
                try requireProof(
                    proof(), of: caller, with: nil, mayHaveEnded: true, from: device, now: now, in: context)
                try logOut(caller.sessionID, of: caller.userID, from: device, now: now, in: context)
            }
        } catch {
            switch error {
            case .invalidRefreshToken, .notARefreshToken, .invalidAccessToken, .accessTokenExpired: return
            default: throw error
            }
        }
    }

    private func logOut(
        _ session: SessionID, of user: UserID, from device: Device, now: Timestamp, in context: RequestContext
    ) throws(Refusal) {
        let event = AuditEntry(.logout, at: now, userID: user, sessionID: session, device: device)
        try end(session, for: .logout, recording: event, in: context)
    }

    private func session(of refreshToken: String, in context: inout RequestContext) throws(Refusal) -> Session? {
        guard let session = try storedSession(readRefreshToken(refreshToken)) else { return nil }
        context.identify(session.userID, session.id)
        return session
    }

    /// The session of a refresh token, if it is still stored. Throws for a token that was not issued for the session it
    /// names, as far as the stored hashes tell.
    private func storedSession(_ presented: PresentedToken) throws(Refusal) -> Session? {
        guard let session = try store.session(presented.sessionID)?.session else { return nil }
        guard session.userID == presented.userID else { throw .invalidRefreshToken }
        let issued: [UInt8]? =
            switch presented.generation {
            case session.token.generation: session.token.hash
            case session.token.generation - 1: session.previousHash
            // Older ones are not stored, and newer ones were issued before a backup was restored.
            default: nil
            }
        if let issued, !platform.equal(presented.hash, issued) { throw .invalidRefreshToken }
        return session
    }

    /// Ends every session of the caller.
    package func logOutEverywhere(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) {
        let caller: Caller
        do throws(Refusal) {
            caller = try authenticateChange(
                accessToken, proof: proof(), admitsWithoutPhone: true, from: device, in: &context)
        } catch {
            // The client may have missed the answer to the first request.
            guard error == .sessionRevoked, try hasLoggedOutEverywhere(accessToken, in: &context) else { throw error }
            return
        }
        let event = AuditEntry(
            .logoutEverywhere, at: platform.now(), userID: caller.userID, sessionID: caller.sessionID,
            device: device)
        let ended = try store.revokeAll(of: caller.userID, for: .logoutEverywhere, recording: event)
        announce(ended, requestID: context.id)
    }

    /// The caller's active sessions, the most recently used first.
    package func sessions(of caller: Caller) throws(Refusal) -> [Session] {
        try store.sessions(of: caller.userID, aliveAt: platform.now())
    }

    /// Ends one session of the caller. One that has ended already is not an error. One of another user is not found.
    package func endSession(
        _ id: SessionID, of caller: Caller, from device: Device, in context: RequestContext
    ) throws(Refusal) {
        guard let session = try store.session(id)?.session, session.userID == caller.userID else { throw .notFound }
        let event = AuditEntry(
            .sessionRemoved, at: platform.now(), userID: caller.userID, sessionID: session.id, device: device)
        try end(session.id, for: .removed, recording: event, in: context)
    }

    /// Ends a session in the store first, and then refuses its access tokens.
    func end(
        _ session: SessionID, for reason: RevokeReason, recording event: AuditEntry, in context: RequestContext
    ) throws(Refusal) {
        let hasEnded = try store.revoke(session, for: reason, recording: event)
        // Also when another request has ended it, which may not have added it to the set in memory yet.
        revocations.insert(session)
        announce(hasEnded ? [EndedSession(session, for: reason)] : [], requestID: context.id)
    }

    /// What follows when a change of the store has ended sessions: their access tokens are refused from now on, and metrics
    /// count them. The store has written the audit trail and the events of users with the change.
    func announce(_ ended: [EndedSession], requestID: String) {
        guard !ended.isEmpty else { return }
        for session in ended { revocations.insert(session.id) }
        for reason in Set(ended.map(\.reason)) {
            report(.sessionsEnded(reason, count: ended.count { $0.reason == reason }), requestID)
        }
    }

    private func hasLoggedOutEverywhere(
        _ accessToken: SentAccessToken?, in context: inout RequestContext
    ) throws(Refusal) -> Bool {
        let caller = try claimedCaller(accessToken, now: platform.now(), in: &context)
        return try store.session(caller.sessionID)?.session.revokeReason == .logoutEverywhere
    }
}
