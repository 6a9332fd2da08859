extension Gatekeeper {
    /// Every lost race has moved the row on, so that the next look decides differently; more than a few in a row
    /// means that the store does not do what it says.
    private static let attempts = 4

    /// Exchanges a refresh token for its successor, and for the same successor again while the answer may be lost.
    package func refresh(_ token: String, from device: Device = .unknown) throws(Refusal) -> TokenPair {
        try notingRefusal(from: device) { () throws(Refusal) in try refreshNow(token, from: device) }
    }

    private func refreshNow(_ token: String, from device: Device) throws(Refusal) -> TokenPair {
        let now = world.now()
        // The row says whether the session goes on. A token may be asked with again for a grace after it was used, and
        // it may have been used in its last moment.
        let presented = try tokens.readRefreshToken(token, now: now - policy.refresh.reuseGrace)
        for attempt in 0..<Self.attempts {
            let found = try asking { () throws(StoreFailure) in try store.session(presented.sessionID) }
            guard let (session, user) = found else { throw .invalidRefreshToken }
            notice(.recognised(user.id, session.id))
            switch Rotation.decide(
                session, presented: presented, policy: policy.refresh, now: now, equal: world.equal)
            {
            case .advance:
                try admit(user, from: device)
                if let (moved, next) = try advance(session, now: now) {
                    notice(.refreshed(again: false))
                    return try pair(next, of: user, in: moved, now: now)
                }
            case .repeatCurrent:
                try admit(user, from: device)
                notice(.refreshed(again: true))
                return try pair(try writeAgain(session), of: user, in: session, now: now)
            case .endForReuse where attempt > 0:
                // The token was the current one when this began, and no old one: it lost a race, and lost sight of its
                // successor. Whoever waits for this answer asks again, with the token they hold by then.
                throw .storageUnavailable
            case .endForReuse:
                if try endForReuse(session, from: device, now: now) { throw .refreshTokenReused }
            case .refuse(let refusal):
                if session.revokedAt != nil { try heedEnd(of: session, user, from: device, now: now) }
                throw refusal
            }
        }
        throw .storageUnavailable
    }

    /// Remembers an end that was found in the row, and throws what the user is to be told rather than that.
    private func heedEnd(of session: Session, _ user: User, from device: Device, now: Timestamp) throws(Refusal) {
        // Whoever ended it may not have come so far as to remember it.
        revocations.insert(session.id, at: now)
        // Somebody who has been kept out is told so, as long as it is so.
        if session.revokeReason == .userDisabled { try admit(user, from: device) }
    }

    /// False where it had ended before.
    private func endForReuse(_ session: Session, from device: Device, now: Timestamp) throws(Refusal) -> Bool {
        let event = AuditEvent(
            .refreshTokenReused, at: now, userID: session.userID, sessionID: session.id, device: device)
        guard try end(session.id, for: .reuse, noting: event) else { return false }
        notice(.refreshTokenReused(session: session.id, user: session.userID))
        return true
    }

    private func admit(_ user: User, from device: Device) throws(Refusal) {
        switch user.status {
        case .active: return
        case .disabled:
            noteDisabled(user, .refreshRefused, from: device)
            throw .userDisabled
        case .deleted: throw .refreshTokenRevoked
        }
    }

    /// Nil where another request has moved the session on since it was read.
    private func advance(_ session: Session, now: Timestamp) throws(Refusal) -> (Session, refreshToken: String)? {
        var moved = session
        let text: String
        (moved.token, text) = issue(
            generation: session.token.generation + 1, of: session.id, for: session.userID,
            sessionCreatedAt: session.createdAt, now: now)
        let advanced = try asking { () throws(StoreFailure) in
            try store.advance(session.id, to: moved.token, now: now)
        }
        return advanced ? (moved, text) : nil
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
