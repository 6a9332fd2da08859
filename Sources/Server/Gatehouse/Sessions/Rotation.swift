/// The rule by which a session's refresh token is rotated: a pure decision about the session's row and the token
/// presented. The store asks for it while no other write can change the row.
package enum Rotation: Sendable, Equatable {
    /// Issue the next generation.
    case advance
    /// The answer may have been lost, or two requests raced: return the same successor again.
    case repeatCurrent
    /// An old token was used although its successor had reached a client, so two parties hold the session: end it for
    /// both.
    case endForReuse
    case refuse(Refusal)

    /// - Parameters:
    ///   - confirmedAt: when a client first used the current generation; nil when none has.
    ///   - random: derives the random part of the session's token of a generation.
    package static func decide(
        _ session: Session, confirmedAt: Timestamp?, presented: PresentedToken, policy: RefreshPolicy, now: Timestamp,
        random: (_ generation: Int64, _ seed: [UInt8]) -> [UInt8], equal: ([UInt8], [UInt8]) -> Bool
    ) -> Rotation {
        guard session.userID == presented.userID else { return .refuse(.invalidRefreshToken) }
        if let reason = session.revokeReason, session.revokedAt != nil {
            return .refuse(reason == .reuse ? .refreshTokenReused : .refreshTokenRevoked)
        }
        guard now < session.token.expiresAt else { return .refuse(.refreshTokenExpired) }
        let current = session.token
        switch presented.generation {
        case current.generation:
            // Another hash means that the signing secret has leaked, but not the database. That is no reuse: with the
            // secret alone an attacker must not be able to end sessions.
            return equal(presented.hash, current.hash) ? .advance : .refuse(.invalidRefreshToken)
        case current.generation - 1:
            guard let previous = session.previousHash, equal(presented.hash, previous) else {
                return .refuse(.invalidRefreshToken)
            }
            // Also after the expiry of the previous token: its owner has refreshed in time and lost the answer.
            return now <= policy.lastRepeat(of: current, confirmedAt: confirmedAt) ? .repeatCurrent : .endForReuse
        case 1..<current.generation:
            if let chain = session.chain, policy.mayHaveRaced(presented, current, chain.burst, now: now),
                equal(presented.random, random(presented.generation, chain.seed))
            {
                return .repeatCurrent
            }
            // The hash of this generation is not kept, so an attacker with the signing secret can end the session here.
            // To refuse without ending it would let the thief of a real token go on.
            return .endForReuse
        default:
            return .refuse(.invalidRefreshToken)
        }
    }
}

extension RefreshPolicy {
    /// Until when the token before this one still gets this one.
    fileprivate func lastRepeat(of token: SessionToken, confirmedAt: Timestamp?) -> Timestamp {
        let limit = (lostAnswer.map { token.issuedAt + $0 } ?? token.expiresAt) + reuseGrace
        guard let confirmedAt, confirmedAt <= limit else { return limit }
        // The clock of the node that saw the confirmation may be behind that of the node that rotated.
        return max(confirmedAt, token.issuedAt) + reuseGrace
    }
}

extension RefreshPolicy {
    /// Whether a generation before the previous one was superseded within the grace, so that its request raced.
    ///
    /// The row has the exact time at which the burst's first generation was superseded. Each later generation was
    /// superseded within the grace after its issue, and the token has the time of its issue. So for a later generation
    /// this can be true for up to one grace too long: no client is signed out for that, and a theft is detected later.
    fileprivate func mayHaveRaced(
        _ presented: PresentedToken, _ current: SessionToken, _ burst: TokenChain.Burst?, now: Timestamp
    ) -> Bool {
        // All generations before the previous one were superseded before the previous one.
        guard now < current.issuedAt + reuseGrace, let burst else { return false }
        if presented.generation == burst.generation { return now < burst.supersededAt + reuseGrace }
        // A token tells its time in whole seconds.
        return presented.generation > burst.generation && now < presented.issuedAt + .seconds(1) + reuseGrace * 2
    }

    /// The burst after a rotation of this token.
    package func burst(_ burst: TokenChain.Burst?, afterRotating token: SessionToken, at now: Timestamp)
        -> TokenChain.Burst
    {
        if let burst, now < token.issuedAt + reuseGrace { return burst }
        return TokenChain.Burst(generation: token.generation, supersededAt: now)
    }
}

/// A refresh token with a valid signature: its claims and its SHA-256. It may have expired.
package struct PresentedToken: Sendable, Equatable {
    package let sessionID: SessionID
    package let userID: UserID
    package let generation: Int64
    package let random: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let hash: [UInt8]

    package init(
        sessionID: SessionID, userID: UserID, generation: Int64, random: [UInt8], issuedAt: Timestamp,
        expiresAt: Timestamp, hash: [UInt8]
    ) {
        self.sessionID = sessionID
        self.userID = userID
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.hash = hash
    }
}
