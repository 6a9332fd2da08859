import Gatehouse

/// What has to hold of every answer.
extension RotationRun {
    mutating func judge(_ flight: Flight, _ answer: Flight.Answer) {
        if flight.hasEndedSession { hasEnded = true }
        guard let question = Question(flight, issued: issued) else { return }
        switch answer {
        case .success(let pair): judge(question, gave: pair)
        case .failure(.storageUnavailable): require(question.metFailure, "no race is lost")
        case .failure(let refusal): judge(question, refusedFor: refusal)
        }
        judgeAccessToken()
    }

    private mutating func judge(_ question: Question, gave pair: TokenPair?) {
        guard let pair else { return require(false, "a refresh gives tokens") }
        require(question.isGenuine, "a token that we did not issue gets nothing")
        require(!question.isOld, "an old token gets nothing")
        require(!question.hasRunOut, "a session that has run out gives nothing")
        require(question.found.revokedAt == nil, "a session that has ended gives nothing")
        require(pair.refreshToken == issued[question.generation + 1], "every answer to a token is its one successor")
        let sessionEnd = question.found.createdAt + Self.policy.refresh.sessionMaximumAge
        require(Self.tokens.expiry(of: pair.accessToken) <= sessionEnd, "no access token outlives its session")
        newestAccessToken = pair.accessToken
    }

    private mutating func judge(_ question: Question, refusedFor refusal: Refusal) {
        if refusal == .refreshTokenExpired {
            let hasRunOut = question.hasRunOut || isBesieged && question.tokenHasRunOut
            require(hasRunOut, "only what has run out is called so")
        } else if let reason = question.found.revokeReason {
            let expected: Refusal = reason == .reuse ? .refreshTokenReused : .refreshTokenRevoked
            require(refusal == expected, "the end of a session says \(expected), not \(refusal)")
        } else if question.isGenuine {
            require(row.revokedAt != nil, "a session ends where a token of ours is refused for \(refusal)")
        }
    }

    /// Nothing that anybody holds opens a door once somebody has been told that the session has ended.
    private mutating func judgeAccessToken() {
        var refusal: Refusal?
        do { _ = try gatekeeper.authenticate(Array(newestAccessToken.utf8)[...]) } catch { refusal = error }
        if hasEnded { require(refusal != nil, "an access token dies with its session") }
        if row.revokedAt == nil { require(refusal != .sessionRevoked, "an access token lives with its session") }
    }
}

/// A refresh as it looked when it came.
private struct Question {
    let now: Timestamp
    let found: Session
    let generation: Int64
    let isGenuine: Bool
    /// Used in a later generation than it may be.
    let isOld: Bool
    let hasRunOut: Bool
    let tokenHasRunOut: Bool
    let metFailure: Bool

    init?(_ flight: Flight, issued: [Int64: String]) {
        guard let token = flight.token, let found = flight.found, let script = flight.script else { return nil }
        now = script.startedAt
        self.found = found
        generation = RotationRun.tokens.generation(of: token)
        isGenuine = token == issued[generation]
        let age = found.token.generation - generation
        isOld = age > 1 || age == 1 && now > found.token.issuedAt + RotationRun.policy.refresh.reuseGrace
        hasRunOut = now >= found.token.expiresAt
        tokenHasRunOut = now >= RotationRun.tokens.expiry(of: token)
        metFailure = script.metFailure
    }
}
