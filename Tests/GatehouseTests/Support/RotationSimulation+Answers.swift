import Gatehouse

/// The rules that hold for every answer.
extension RotationSimulation {
    mutating func check(_ request: SimulatedRequest, _ answer: SimulatedRequest.Answer) {
        if request.hasEndedSession { hasEnded = true }
        guard let facts = RefreshFacts(request, issued: issued) else { return }
        switch answer {
        case .success(let pair): check(facts, gave: pair)
        case .failure(.storageUnavailable):
            require(facts.hadStoreFailure, "storage is unavailable only if the store failed")
        case .failure(let refusal): check(facts, refusedFor: refusal)
        }
        checkAccessToken()
    }

    private mutating func check(_ facts: RefreshFacts, gave pair: TokenPair?) {
        guard let pair else { return require(false, "a refresh returns tokens") }
        require(facts.isGenuine, "a forged token is refused")
        require(!facts.isOld, "an old token is refused")
        require(!facts.isExpired, "an expired session is refused")
        require(facts.found.revokedAt == nil, "a session that has ended is refused")
        require(pair.refreshToken == issued[facts.generation + 1], "every answer to a token has the same next token")
        let sessionEnd = facts.found.createdAt + Self.policy.refresh.sessionMaximumAge
        require(
            Self.tokens.expiry(of: pair.accessToken) <= sessionEnd, "no access token is valid longer than its session")
        newestAccessToken = pair.accessToken
    }

    private mutating func check(_ facts: RefreshFacts, refusedFor refusal: Refusal) {
        if refusal == .refreshTokenExpired {
            require(facts.isExpired, "only expired sessions are refused as expired")
        } else if let reason = facts.found.revokeReason {
            let expected: Refusal = reason == .reuse ? .refreshTokenReused : .refreshTokenRevoked
            require(refusal == expected, "a session that has ended is refused with \(expected), not \(refusal)")
        } else if facts.isGenuine {
            require(row.revokedAt != nil, "the session has ended if a genuine token is refused with \(refusal)")
        }
    }

    /// No access token is accepted once a client was told that the session has ended.
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
    /// Whether the token has been replaced, its successor was used, and the grace period after that is over.
    let isOld: Bool
    let isExpired: Bool
    let hadStoreFailure: Bool

    init?(_ request: SimulatedRequest, issued: [Int64: String]) {
        guard let token = request.token, let found = request.found, let replay = request.replay else { return nil }
        now = replay.startedAt
        self.found = found
        generation = RotationSimulation.tokens.generation(of: token)
        isGenuine = token == issued[generation]
        let age = found.token.generation - generation
        let graceEnd = request.confirmedAt.map { $0 + RotationSimulation.policy.refresh.reuseGrace }
        isOld = age > 1 || age == 1 && graceEnd.map { replay.startedAt > $0 } ?? false
        isExpired = now >= found.token.expiresAt
        hadStoreFailure = replay.hadStoreFailure
    }
}
