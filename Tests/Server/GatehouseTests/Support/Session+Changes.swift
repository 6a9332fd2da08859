import Gatehouse

/// What stores do by statements with a condition.
extension Session {
    mutating func confirm(_ confirmation: TokenConfirmation) {
        guard revokedAt == nil, confirmedAt == nil, confirmation.generation == token.generation else { return }
        confirmedAt = confirmation.moment
    }

    mutating func revoke(for reason: RevokeReason, now: Timestamp) -> Bool {
        guard revokedAt == nil else { return false }
        self = ended(for: reason, at: now)
        return true
    }
}
