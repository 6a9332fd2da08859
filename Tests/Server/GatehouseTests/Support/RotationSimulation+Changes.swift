import Gatehouse

/// The rules that hold for the stored session after every step of a request.
extension RotationSimulation {
    mutating func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { violations.append(rule()) }
    }

    mutating func checkChange(_ request: inout SimulatedRequest, from before: Session) {
        let after = row
        guard after != before else { return }
        require(before.revokedAt == nil, "a session that has ended does not change")
        if after.token == before.token, after.revokedAt == nil {
            checkRepeat(request, from: before, to: after)
        } else if after.revokedAt != nil {
            checkEnd(&request, from: before, to: after)
        } else {
            checkAdvance(request, from: before, to: after)
        }
    }

    private mutating func checkRepeat(_ request: SimulatedRequest, from before: Session, to after: Session) {
        var expected = before
        // Of a bound session, also a repeat that is not counted any more is written, with its proof.
        let isCounted = !isBound || after.repeats != before.repeats
        (expected.repeats, expected.repeatDevice) = (before.repeats + (isCounted ? 1 : 0), after.repeatDevice)
        (expected.repeatsElsewhere, expected.usedProofs) = (after.repeatsElsewhere, after.usedProofs)
        require(after == expected, "a repeat changes only the counts and the device")
        let generation = request.token.map(Self.tokens.generation(of:)) ?? 0
        require(
            generation < before.token.generation && request.token == issued[generation],
            "only an older token of the session is a repeat")
    }

    private mutating func checkAdvance(_ request: SimulatedRequest, from before: Session, to after: Session) {
        let token = after.token
        require(token.generation == before.token.generation + 1, "a session advances by one generation")
        require(after.previousHash == before.token.hash, "the session keeps the hash of the previous token")
        require(
            token.expiresAt <= after.createdAt + Self.policy.refresh.sessionMaximumAge,
            "no token is valid longer than its session")
        require(request.token == issued[before.token.generation], "only the current token advances a session")
        issued[token.generation] = String(decoding: token.hash, as: UTF8.self)
        issuedAt[token.generation] = token.issuedAt
        rotations += 1
    }

    private mutating func checkEnd(_ request: inout SimulatedRequest, from before: Session, to after: Session) {
        request.hasEndedSession = true
        require(after.token == before.token, "the end of a session changes nothing else")
        guard let token = request.token else {
            return require(after.revokeReason == .logout, "a logout is recorded as one")
        }
        let age = before.token.generation - Self.tokens.generation(of: token)
        require(hasAttackers, "a refresh of the owner alone ends no session")
        if isBound, request.sender != .owner {
            require(
                after.revokeReason == .key, "who does not have the key ends a session only by a proof of another one")
            require(request.proof != nil, "nothing ends a bound session without a proof")
            require(age > 1 || request.sender == .thief, "a forged token of the last generations ends no session")
            return
        }
        require(after.revokeReason == .reuse, "reuse is recorded as such")
        require(
            age > (request.sender == .forger ? 1 : 0),
            "only an old token ends a session, not a forged one of the previous generation")
    }
}
