import Gatehouse

/// The conditions that a store's writes carry, as every store has to keep them.
extension Session {
    mutating func make(_ change: SessionChange) -> Bool {
        switch change {
        case .next(let token): advance(to: token)
        case .end(let reason, let event): revoke(for: reason, now: event.moment)
        }
    }

    private mutating func advance(to next: SessionToken) -> Bool {
        guard revokedAt == nil, next.generation == token.generation + 1 else { return false }
        previousHash = token.hash
        token = next
        return true
    }

    mutating func revoke(for reason: RevokeReason, now: Timestamp) -> Bool {
        guard revokedAt == nil else { return false }
        revokedAt = now
        revokeReason = reason
        return true
    }
}
