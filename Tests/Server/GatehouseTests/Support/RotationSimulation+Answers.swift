import Gatehouse

/// The rules that hold for every answer.
extension RotationSimulation {
    mutating func check(_ request: SimulatedRequest, _ answer: SimulatedRequest.Answer) {
        if request.hasEndedSession { hasEnded = true }
        guard let facts = RefreshFacts(request, issued: issued, issuedAt: issuedAt) else { return }
        switch answer {
        case .success(let pair): check(facts, gave: pair)
        case .failure(.storageUnavailable):
            require(
                facts.hadStoreFailure || facts.now + ClockAgreement.tolerance < processStart,
                "storage is unavailable only if the store failed, or the clock tells a time before the process began")
        case .failure(let refusal): check(facts, refusedFor: refusal, request)
        }
        checkAccessToken()
    }

    private mutating func check(_ facts: RefreshFacts, gave pair: TokenPair?) {
        guard let pair else { return require(false, "a refresh returns tokens") }
        require(facts.isGenuine, "a forged token is refused")
        require(!facts.isOld, "an old token is refused")
        require(!facts.isExpired, "an expired session is refused")
        require(facts.found.revokedAt == nil, "a session that has ended is refused")
        // Another request may have advanced the session since this one arrived.
        let given = Self.tokens.generation(of: pair.refreshToken)
        let possible = max(facts.generation + 1, facts.found.token.generation)...row.token.generation
        require(
            pair.refreshToken == issued[given] && possible.contains(given),
            "the answer is the current token, which is newer than the one sent")
        require(pair.expiresIn <= rest(of: given, at: facts.now), "only an advance gives a new lifetime")
        let sessionEnd = facts.found.createdAt + Self.policy.refresh.sessionMaximumAge
        require(
            Self.tokens.expiry(of: pair.accessToken) <= sessionEnd, "no access token is valid longer than its session")
        newestAccessToken = pair.accessToken
    }

    /// How long the access token of the first answer with a generation is still valid.
    private func rest(of generation: Int64, at now: Timestamp) -> Duration {
        let end = (issuedAt[generation] ?? now) + Self.policy.accessTokenLifetime
        return .milliseconds(max(0, end.milliseconds - now.milliseconds))
    }

    private mutating func check(_ facts: RefreshFacts, refusedFor refusal: Refusal, _ request: SimulatedRequest) {
        if refusal == .refreshTokenExpired {
            require(facts.isExpired, "only expired sessions are refused as expired")
        } else if let reason = facts.found.revokeReason {
            let expected: Refusal = reason == .reuse ? .refreshTokenReused : .refreshTokenRevoked
            require(refusal == expected, "a session that has ended is refused with \(expected), not \(refusal)")
        } else if facts.isGenuine {
            require(row.revokedAt != nil, "the session has ended if a genuine token is refused with \(refusal)")
            require(
                !(facts.isYoung && request.hasEndedSession),
                "a token that was superseded within the grace ends no session")
        }
    }

    /// No access token is accepted once a client got the answer that the session has ended.
    private mutating func checkAccessToken() {
        var refusal: Refusal?
        do { _ = try auth.authenticate(Array(Self.tokens.withoutGeneration(newestAccessToken).utf8)[...]) } catch {
            refusal = error
        }
        if hasEnded { require(refusal != nil, "an access token is refused once its session has ended") }
        if row.revokedAt == nil {
            require(refusal != .sessionRevoked, "an access token is accepted while its session is active")
        }
    }
}

/// The facts about a refresh when it arrived.
private struct RefreshFacts {
    let now: Timestamp
    let found: Session
    let generation: Int64
    let isGenuine: Bool
    /// Whether the server must refuse the token. If it was replaced once: its successor was used, and the grace period
    /// after that use is over. If more often: twice the grace period and a second have passed since it was replaced, and
    /// since it was issued, which is later if the clock was set back.
    let isOld: Bool
    /// Whether the token has been replaced less than the grace period ago, and no clock was set back since.
    let isYoung: Bool
    let isExpired: Bool
    let hadStoreFailure: Bool

    init?(_ request: SimulatedRequest, issued: [Int64: String], issuedAt: [Int64: Timestamp]) {
        guard let token = request.token, let found = request.found, let replay = request.replay else { return nil }
        now = replay.startedAt
        self.found = found
        generation = RotationSimulation.tokens.generation(of: token)
        isGenuine = token == issued[generation]
        let age = found.token.generation - generation
        let grace = RotationSimulation.policy.refresh.reuseGrace
        let graceEnd = request.confirmedAt.map { $0 + grace }
        let supersededAt = issuedAt[generation + 1] ?? now
        let later = (generation + 1...max(generation + 1, found.token.generation)).compactMap { issuedAt[$0] } + [now]
        isYoung = age > 0 && now < supersededAt + grace && zip(later, later.dropFirst()).allSatisfy { $0 <= $1 }
        // In a burst of rotations, a token may count as young for another grace period (`mayHaveRaced`).
        isOld =
            age > 1
            ? now >= max(supersededAt, issuedAt[generation] ?? supersededAt) + grace * 2 + .seconds(1)
            : age == 1 && graceEnd.map { replay.startedAt > $0 } ?? false
        isExpired = now >= found.token.expiresAt
        hadStoreFailure = replay.hadStoreFailure
    }
}
