package import Gatehouse

/// What a test has decided on beforehand.
extension Store {
    package func record(_ login: WholeLogin, limit: Int = 100) throws(StoreFailure) -> LoginOutcome {
        let proven = Login(
            identity: login.identity, nickname: login.nickname, redemption: login.redemption,
            moment: login.session.createdAt, identityHashes: login.identityHashes)
        return try record(proven, limit: limit) { known in login.open(for: known ?? login.user) }
    }

    /// Moves a session on to a token that a test has made. False where it is not the next one.
    package func advance(
        _ id: SessionID, to token: SessionToken, from device: Device = .unknown, now: Timestamp
    ) throws(StoreFailure) -> Bool {
        try change(id, now: now) { _, _ in .next(token, from: device) }?.change != nil
    }

    package func link(
        _ identity: Identity, to user: UserID, redeeming redemption: Redemption, asking task: AppleTask?,
        noting event: AuditEvent
    ) throws(StoreFailure) -> LinkOutcome {
        try link(
            identity, to: user, redeeming: redemption, identityHashes: PlainHashes().hashes(of: identity), asking: task,
            noting: event)
    }

    package func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, noting event: AuditEvent
    ) throws(StoreFailure) -> [SessionID] {
        try apply(notification, by: policy, hasher: PlainHashes(), noting: event)
    }
}
