package import Gatehouse

/// What a test has decided on beforehand.
extension Store {
    package func record(_ login: WholeLogin) throws(StoreFailure) -> LoginOutcome {
        let proven = Login(identity: login.identity, nickname: login.nickname, redemption: login.redemption)
        return try record(proven) { known in login.open(for: known ?? login.user) }
    }

    /// Moves a session on to a token that a test has made. False where it is not the next one.
    package func advance(_ id: SessionID, to token: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool {
        try change(id, now: now) { _, _ in .next(token) }?.change != nil
    }
}
