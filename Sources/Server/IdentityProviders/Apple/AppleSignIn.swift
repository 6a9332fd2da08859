package import Gatehouse
import JOSE
import JSON

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

/// The Services ID with which browsers sign in with Apple.
package struct AppleWebClient: Sendable, Equatable {
    package let id: String
    /// Apple's page.
    package let pageURL: String
    /// Gatehouse's callback, which a code of this client was sent to; nil if the address of this server is not known.
    package let callback: String?

    package static let standardPage = "https://appleid.apple.com/auth/authorize"

    package init(id: String, pageURL: String = Self.standardPage, callback: String?) {
        (self.id, self.pageURL, self.callback) = (id, pageURL, callback)
    }
}

/// Signing in through a browser with Apple, which sends the identity token, the code and the name in a form that the browser
/// posts to the callback.
///
/// The identity token does not come from Apple's server, so the browser's user can exchange it for another one, also of
/// another person. The nonce binds it to the request, and `c_hash` binds the code to it.
package struct AppleWebSignIn: WebIdentityProvider {
    private let tokens: IdentityTokenVerifier
    private let client: AppleWebClient

    /// - Parameters:
    ///   - issuers: of Apple's identity tokens.
    ///   - keys: Apple's, which logins of apps use as well.
    package init(_ client: AppleWebClient, issuers: [String], keys: ProviderKeys) {
        // A token for an app, which has another audience, is not for the browser.
        let rules = TokenRules.apple(
            issuers: issuers, audiences: [client.id], nonce: .required, demandsCodeHash: true)
        tokens = IdentityTokenVerifier(of: .apple, by: rules, keys: keys)
        self.client = client
    }

    /// Apple answers with `form_post` alone where it is asked for the name or the address.
    package func pageAddress(for request: ProviderRequest, requestID: String?) -> String {
        ProviderPage.address(
            client.pageURL,
            [
                ("response_type", "code id_token"), ("response_mode", "form_post"), ("client_id", client.id),
                ("redirect_uri", request.callback), ("scope", "name email"), ("state", request.state),
                ("nonce", request.nonce),
            ])
    }

    /// The code is exchanged after the login, as those of apps are.
    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let code = answer.code else { throw .missing(.code) }
        let credential = IdentityCredential(identityToken: answer.identityToken, code: code, nonce: asked.nonce)
        var proven = try tokens.verify(credential, in: request)
        proven.nickname = AppleUser.name(in: answer.user)
        proven.laterCode = code
        return proven
    }
}

/// The `user` of Apple's answer: a JSON text that comes at the first login only.
///
/// It is not signed, so the browser's user can write anything into it. Only the name is read, which users choose anyway. The
/// address is in the identity token.
enum AppleUser {
    private static let longest = 4096

    /// Nil without a name, and for a text that cannot be read: the identity is proven without it.
    static func name(in text: String?) -> String? {
        guard let text, text.utf8.count <= longest,
            let name = (try? JSONValue(parsing: text))?.object?["name"]?.object
        else { return nil }
        // Each part as a person could enter it, so that none pushes the other out.
        let parts = PersonName(given: part("firstName", of: name), family: part("lastName", of: name))
        return parts.displayed.flatMap(ProviderNickname.cleaned)
    }

    private static func part(_ member: String, of name: JSONObject) -> String? {
        name[member]?.string.flatMap(ProviderNickname.cleaned)
    }
}
