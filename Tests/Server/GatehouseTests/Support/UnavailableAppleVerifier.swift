import Gatehouse

/// Refuses every token, because Apple's keys are not available.
struct UnavailableAppleVerifier: AppleVerifier {
    func verify(_ credential: AppleCredential, now: Timestamp, requestID: String?) throws(Refusal) -> AppleAssertion {
        throw .appleKeysUnavailable
    }

    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification {
        throw .appleKeysUnavailable
    }

    func isApparentlyApple(_ token: String) -> Bool { false }
}
