extension Gatekeeper {
    /// Exchanges a refresh token for its successor, and for the same successor again while the answer may be lost.
    package func refresh(_ token: String, from device: Device = .unknown) throws(Refusal) -> TokenPair {
        try notingRefusal(from: device) { () throws(Refusal) in try refreshNow(token, from: device) }
    }

    private func refreshNow(_ token: String, from device: Device) throws(Refusal) -> TokenPair {
        let now = world.now()
        // The row says whether the session goes on. A token may be asked with again for a grace after it was used, and
        // it may have been used in its last moment.
        let presented = try tokens.readRefreshToken(token, now: now - policy.refresh.reuseGrace)
        var refreshToken: String?
        let found = try asking { () throws(StoreFailure) in
            do throws(StoreFailure) {
                return try store.change(presented.sessionID, now: now) { session, user in
                    switch decide(session, presented, now: now) {
                    case .advance where user.status == .active:
                        let (token, text) = issueNext(of: session, now: now)
                        refreshToken = text
                        return .next(token, from: device)
                    case .endForReuse: return .end(.reuse, noting: reuse(of: session, from: device, now: now))
                    case .advance, .repeatCurrent, .refuse: return nil
                    }
                }
            } catch {
                return try look(presented, now: now, since: error)
            }
        }
        guard let (session, user, change) = found else { throw .invalidRefreshToken }
        notice(.recognised(user.id, session.id))
        switch change {
        case .next(let token, _):
            guard let refreshToken else { preconditionFailure("the token of this very request") }
            notice(.refreshed(again: false))
            var moved = session
            moved.token = token
            return try pair(refreshToken, of: user, in: moved, now: now)
        case .end:
            revocations.insert(session.id, at: now)
            notice(.sessionsEnded(.reuse, count: 1))
            notice(.refreshTokenReused(session: session.id, user: session.userID))
            throw .refreshTokenReused
        case nil:
            return try answer(presented, session, of: user, from: device, now: now)
        }
    }

    private func decide(_ session: Session, _ presented: PresentedToken, now: Timestamp) -> Rotation {
        Rotation.decide(session, presented: presented, policy: policy.refresh, now: now, equal: world.equal)
    }

    private func issueNext(of session: Session, now: Timestamp) -> (SessionToken, String) {
        issue(
            generation: session.token.generation + 1, of: session.id, for: session.userID,
            sessionCreatedAt: session.createdAt, now: now)
    }

    private func reuse(of session: Session, from device: Device, now: Timestamp) -> AuditEvent {
        AuditEvent(.refreshTokenReused, at: now, userID: session.userID, sessionID: session.id, device: device)
    }

    /// Where nothing can be written, what needs no write is answered all the same: a retry, a refusal.
    private func look(
        _ presented: PresentedToken, now: Timestamp, since failure: StoreFailure
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)? {
        notice(.recognised(presented.userID, presented.sessionID))
        guard let (session, user) = try store.session(presented.sessionID) else { return nil }
        switch decide(session, presented, now: now) {
        case .advance where user.status == .active, .endForReuse: throw failure
        case .advance, .repeatCurrent, .refuse: return (session, user, nil)
        }
    }

    /// What is said where a session stays as it is.
    private func answer(
        _ presented: PresentedToken, _ session: Session, of user: User, from device: Device, now: Timestamp
    ) throws(Refusal) -> TokenPair {
        switch decide(session, presented, now: now) {
        case .repeatCurrent:
            try admit(user, from: device)
            notice(.refreshed(again: true))
            watchRepeat(of: session, from: device, now: now)
            return try pair(try writeAgain(session), of: user, in: session, now: now)
        case .refuse(let refusal):
            if session.revokedAt != nil { try heedEnd(of: session, user, from: device, now: now) }
            throw refusal
        case .advance, .endForReuse:
            try admit(user, from: device)
            // Of somebody active it would have been done, by a store that does what it is told.
            throw .storageUnavailable
        }
    }

    /// A repeat from another device than the one that rotated may be a thief who follows the owner. It may also be the owner
    /// who has changed networks, so it is reported and not refused.
    private func watchRepeat(of session: Session, from device: Device, now: Timestamp) {
        guard !device.resembles(session.lastDevice) else { return }
        notice(.refreshRepeatedElsewhere)
        refusals.add(
            AuditEvent(
                .refreshRepeatedElsewhere, at: now, userID: session.userID, sessionID: session.id, device: device))
    }

    /// Remembers an end that was found in the row, and throws what the user is to be told rather than that.
    private func heedEnd(of session: Session, _ user: User, from device: Device, now: Timestamp) throws(Refusal) {
        // Whoever ended it may not have come so far as to remember it.
        revocations.insert(session.id, at: now)
        // Somebody who has been kept out is told so, as long as it is so.
        if session.revokeReason == .userDisabled { try admit(user, from: device) }
    }

    private func admit(_ user: User, from device: Device) throws(Refusal) {
        switch user.status {
        case .active: return
        case .disabled:
            noteDisabled(user.id, .refreshRefused, from: device)
            throw .userDisabled
        case .deleted: throw .refreshTokenRevoked
        }
    }

    /// The session's current token, byte for byte as it was issued.
    private func writeAgain(_ session: Session) throws(Refusal) -> String {
        let token = session.token
        let claims = RefreshClaims(
            userID: session.userID, sessionID: session.id, generation: token.generation, random: token.random,
            issuedAt: token.issuedAt, expiresAt: token.expiresAt)
        // No secret of ours gives this hash: the secret that signed it has been taken away since.
        guard let text = tokens.refreshToken(claims, hashedAs: token.hash) else { throw .invalidRefreshToken }
        return text
    }
}
