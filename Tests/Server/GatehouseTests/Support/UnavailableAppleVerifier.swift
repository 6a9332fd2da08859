import Gatehouse

/// Refuses every token, because Apple's keys are not available.
struct UnavailableAppleVerifier: AppleVerifier {
    let requiresChallenge = false

    func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        throw .providerUnavailable(.apple)
    }

    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification {
        throw .providerUnavailable(.apple)
    }

    func isApparentlyApple(_ token: String) -> Bool { false }
}
