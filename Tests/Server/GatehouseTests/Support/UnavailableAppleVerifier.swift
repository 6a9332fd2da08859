import Gatehouse

/// Refuses every token, because Apple's keys are not available.
struct UnavailableAppleVerifier: AppleVerifier {
    let rules = LoginRules(replayGrace: .seconds(60))

    func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        throw .providerUnavailable(.apple)
    }

    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification {
        throw .providerUnavailable(.apple)
    }

    func isApparentlyApple(_ token: String) -> Bool { false }
}
