package import Gatehouse

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
