/// Tells what Apple has signed from all else.
///
/// Throws `.appleToken` for a token that is bad and `.appleKeysUnavailable` when it cannot know; nothing else.
package protocol AppleVerifier: Sendable {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion

    /// Reads a notification from Apple's servers. An identity token is none.
    func verify(notification: String, now: Timestamp) throws(Refusal) -> AppleNotification
}
