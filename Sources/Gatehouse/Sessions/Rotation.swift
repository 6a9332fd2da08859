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

    /// - Parameter confirmedAt: when a client first used the current generation; nil when none has.
    package static func decide(
        _ session: Session, confirmedAt: Timestamp?, presented: PresentedToken, policy: RefreshPolicy, now: Timestamp,
        equal: ([UInt8], [UInt8]) -> Bool
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
        return confirmedAt + reuseGrace
    }
}

/// A refresh token with a valid signature: its claims and its SHA-256. It may have expired.
package struct PresentedToken: Sendable, Equatable {
    package let sessionID: SessionID
    package let userID: UserID
    package let generation: Int64
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let hash: [UInt8]

    package init(
        sessionID: SessionID, userID: UserID, generation: Int64, issuedAt: Timestamp, expiresAt: Timestamp,
        hash: [UInt8]
    ) {
        self.sessionID = sessionID
        self.userID = userID
        self.generation = generation
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.hash = hash
    }
}
