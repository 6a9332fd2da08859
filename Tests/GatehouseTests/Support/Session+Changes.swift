import Gatehouse

/// The changes to a session, with the conditions that every store has to check.
extension Session {
    mutating func make(_ change: SessionChange) -> Bool {
        switch change {
        case .advance(let token, let device): advance(to: token, from: device)
        case .end(let reason, let event): revoke(for: reason, now: event.moment)
        }
    }

    private mutating func advance(to next: SessionToken, from device: Device) -> Bool {
        guard revokedAt == nil, next.generation == token.generation + 1 else { return false }
        previousHash = token.hash
        token = next
        rotationDevice = device
        return true
    }

    mutating func revoke(for reason: RevokeReason, now: Timestamp) -> Bool {
        guard revokedAt == nil else { return false }
        revokedAt = now
        revokeReason = reason
        return true
    }
}
