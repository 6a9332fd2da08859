import Gatehouse

/// What has to hold of the row after every step of every request.
extension RotationRun {
    mutating func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { broken.append(rule()) }
    }

    mutating func watch(_ flight: inout Flight, from before: Session) {
        let after = row
        guard after != before else { return }
        require(before.revokedAt == nil, "a session that has ended does not change")
        if after.revokedAt != nil {
            watchEnd(&flight, from: before, to: after)
        } else {
            watchAdvance(flight, from: before, to: after)
        }
    }

    private mutating func watchAdvance(_ flight: Flight, from before: Session, to after: Session) {
        let token = after.token
        require(token.generation == before.token.generation + 1, "a session moves on by one generation")
        require(after.previousHash == before.token.hash, "the row remembers the token before")
        require(
            token.expiresAt <= after.createdAt + Self.policy.refresh.sessionMaximumAge, "no token outlives its session")
        require(flight.token == issued[before.token.generation], "only the current token moves a session on")
        issued[token.generation] = String(decoding: token.hash, as: UTF8.self)
        rotations += 1
    }

    private mutating func watchEnd(_ flight: inout Flight, from before: Session, to after: Session) {
        flight.hasEndedSession = true
        require(after.token == before.token, "what ends a session does nothing else to it")
        guard let token = flight.token else { return require(after.revokeReason == .logout, "a logout is called one") }
        let age = before.token.generation - Self.tokens.generation(of: token)
        require(isBesieged, "the owner alone ends nothing by refreshing")
        require(after.revokeReason == .reuse, "reuse is called so")
        require(
            age > (flight.sender == .forger ? 1 : 0), "only an old token ends a session, and not by its number alone")
    }
}
