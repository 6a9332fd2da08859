import Gatehouse

/// The changes to a session, with the conditions that every store has to check.
extension Session {
    mutating func make(_ change: SessionChange) -> Bool {
        switch change {
        case .advance(let token, let chain, let device): advance(to: token, in: chain, from: device)
        case .countRepeat(let generation, let device, let isElsewhere):
            countRepeat(of: generation, from: device, isElsewhere: isElsewhere)
        case .end(let reason, let event): revoke(for: reason, now: event.moment)
        }
    }

    private mutating func advance(to next: SessionToken, in chain: TokenChain, from device: Device) -> Bool {
        guard revokedAt == nil, next.generation == token.generation + 1 else { return false }
        previousHash = token.hash
        (token, self.chain) = (next, chain)
        (rotationDevice, confirmedAt, repeats, repeatDevice) = (device, nil, 0, nil)
        return true
    }

    private mutating func countRepeat(of generation: Int64, from device: Device, isElsewhere: Bool) -> Bool {
        guard revokedAt == nil, generation == token.generation else { return false }
        (repeatDevice, repeats) = (device, repeats + 1)
        if isElsewhere { repeatsElsewhere += 1 }
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
