import Gatehouse

/// Knows nobody.
struct NoApple: AppleVerifier {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion {
        throw .appleKeysUnavailable
    }

    func verify(notification: String, now: Timestamp) throws(Refusal) -> AppleNotification {
        throw .appleKeysUnavailable
    }
}
