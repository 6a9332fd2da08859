/// The rule by which a session's refresh token moves on. A pure decision over the row and the token presented: the store
/// asks for it while nobody else can change the row.
package enum Rotation: Sendable, Equatable {
    /// Issue the next generation.
    case advance
    /// The answer to the same question was lost or raced: give it again.
    case repeatCurrent
    /// An old token came back after its time: the session is in two hands. End it for both.
    case endForReuse
    case refuse(Refusal)

    package static func decide(
        _ session: Session, presented: PresentedToken, policy: RefreshPolicy, now: Timestamp,
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
            // Signed by our secret and of the right generation, but not the token we issued: somebody has the
            // secret and not the random. It is no reuse, so that such a somebody cannot end sessions with it.
            return equal(presented.hash, current.hash) ? .advance : .refuse(.invalidRefreshToken)
        case current.generation - 1:
            guard let previous = session.previousHash, equal(presented.hash, previous) else {
                return .refuse(.invalidRefreshToken)
            }
            return now <= current.issuedAt + policy.reuseGrace ? .repeatCurrent : .endForReuse
        case 1..<current.generation:
            // Its hash is long gone: whoever has the secret can say this much, and end a session by it. Not to believe
            // it would let a thief go on.
            return .endForReuse
        default:
            return .refuse(.invalidRefreshToken)
        }
    }
}
