import Gatehouse

/// The changes to a session, with the conditions that every store has to check.
extension Session {
    mutating func make(_ change: SessionChange) -> Bool {
        switch change {
        case .advance(let token, let device): advance(to: token, from: device)
        case .countRepeat(let generation, let device): countRepeat(of: generation, from: device)
        case .end(let reason, let event): revoke(for: reason, now: event.moment)
        }
    }

    private mutating func advance(to next: SessionToken, from device: Device) -> Bool {
        guard revokedAt == nil, next.generation == token.generation + 1 else { return false }
        previousHash = token.hash
        token = next
        (rotationDevice, confirmedAt, repeats, repeatDevice) = (device, nil, 0, nil)
        return true
    }

    private mutating func countRepeat(of generation: Int64, from device: Device) -> Bool {
        guard revokedAt == nil, generation == token.generation else { return false }
        (repeatDevice, repeats) = (device, repeats + 1)
        return true
    }

    mutating func confirm(_ confirmation: TokenConfirmation) {
        guard revokedAt == nil, confirmedAt == nil, confirmation.generation == token.generation else { return }
        confirmedAt = confirmation.moment
    }

    mutating func revoke(for reason: RevokeReason, now: Timestamp) -> Bool {
        guard revokedAt == nil else { return false }
        revokedAt = now
        revokeReason = reason
        return true
    }
}
