package import Gatehouse
import JOSE

/// Verifies identity tokens and notifications with the keys that Apple publishes.
///
/// A class, because the service that has it is copied for each request.
package final class AppleSignIn: AppleVerifier {
    private let tokens: IdentityTokenVerifier
    private let notificationRules: TokenRules

    /// - Parameter notifications: which notifications are accepted, if others than the tokens of the apps: users may have
    ///   signed in with another client of the team.
    package init(
        rules: TokenRules, keys: ProviderKeys, replayGrace: Duration, notifications: TokenRules? = nil
    ) {
        notificationRules = notifications ?? rules
        tokens = IdentityTokenVerifier(of: .apple, by: rules, keys: keys, replayGrace: replayGrace)
    }

    package var requiresChallenge: Bool { tokens.requiresChallenge }

    /// The code is exchanged after the login.
    package func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        var proven = try tokens.verify(credential, in: request)
        proven.laterCode = credential.code
        return proven
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
