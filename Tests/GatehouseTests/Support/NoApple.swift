import Gatehouse

/// Knows nobody.
struct NoApple: AppleVerifier {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion {
        throw .appleKeysUnavailable
    }
}
