package import Gatehouse
import JOSE

/// Verifies identity tokens and notifications with the keys that Apple publishes.
///
/// A class, because the service that has it is copied for each request.
package final class AppleSignIn: AppleVerifier {
    package let rules: LoginRules
    private let tokens: ProviderTokens
    private let notificationRules: TokenRules

    /// - Parameter notifications: which notifications are accepted, if others than the tokens of the apps: users may have
    ///   signed in with another client of the team.
    package init(
        verifier: IdentityTokenVerifier, keys: ProviderKeys, replayGrace: Duration,
        notifications: TokenRules? = nil
    ) {
        notificationRules = notifications ?? verifier.rules
        tokens = ProviderTokens(provider: .apple, verifier: verifier, keys: keys)
        rules = LoginRules(requiresChallenge: verifier.rules.nonce == .challenge, replayGrace: replayGrace)
    }

    package func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        try tokens.verify(credential, now: now, requestID: requestID)
    }

    package func verify(
        notification text: String, now: Timestamp, requestID: String?
    ) throws(Refusal) -> AppleNotification {
        let notification = try tokens.refusing { () throws(IdentityFault) in
            try SignedNotification(text, rules: notificationRules, now: now)
        }
        let keys = try tokens.keys(for: notification.key, requestID: requestID)
        return try tokens.refusing { () throws(IdentityFault) in try notification.confirmed(by: keys) }
    }

    package func isApparentlyApple(_ token: String) -> Bool {
        (try? SignedToken(token, rules: tokens.rules))?.isIssued(by: tokens.rules) == true
    }
}
