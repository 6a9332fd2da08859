/// Tells genuine identity tokens from all others.
///
/// Throws `.appleToken` for a token that is bad and `.appleKeysUnavailable` when it cannot know; nothing else.
package protocol AppleVerifier: Sendable {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion
}
