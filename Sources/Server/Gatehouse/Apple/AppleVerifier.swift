/// Verifies what Apple has signed: identity tokens, and what only Apple sends.
package protocol AppleVerifier: IdentityProvider {
    /// Verifies a notification from Apple's servers. An identity token is refused.
    ///
    /// - Parameter requestID: for the log, when the verification has to fetch Apple's keys.
    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification

    /// Whether a text has the form and the issuer of Apple's tokens. Its signature is not verified.
    func isApparentlyApple(_ token: String) -> Bool
}
