package import Gatehouse

/// Operations with values that the test supplies.
extension Store {
    package func record(_ login: LoginFixture, limit: Int = 100) throws(Refusal) -> LoginOutcome {
        let proven = Login(
            identity: login.identity, nickname: login.nickname, redemption: login.redemption,
            moment: login.session.createdAt, identityHashes: login.identityHashes)
        return try record(proven, limit: limit) { known in login.open(for: known ?? login.user) }
    }

    /// Advances a session to this token. False if it is not the next token of the session.
    package func advance(
        _ id: SessionID, to token: SessionToken, from device: Device = .unknown, now: Timestamp
    ) throws(Refusal) -> Bool {
        try refresh(id, now: now) { session, _ in
            guard session.revokedAt == nil, token.generation == session.token.generation + 1 else {
                return .refuse(.invalidRefreshToken)
            }
            let next = session.advanced(to: token, in: TokenChain(seed: [4, 5, 6]), from: device)
            return .advance(next, token: "")
        }?.decision.written != nil
    }

    package func link(
        _ identity: Identity, to user: UserID, redeeming redemption: Redemption, queueing task: AppleTask?,
        recording event: AuditEvent
    ) throws(Refusal) -> LinkOutcome {
        try link(
            identity, to: user, redeeming: redemption, identityHashes: PlainHashes().hashes(of: identity),
            queueing: task,
            recording: event)
    }

    package func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, recording event: AuditEvent
    ) throws(Refusal) -> [SessionID] {
        try apply(notification, by: policy, hasher: PlainHashes(), recording: event)
    }
}
