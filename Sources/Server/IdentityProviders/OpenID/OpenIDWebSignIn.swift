package import Gatehouse
import JOSE
import JSON
import OpenSSL
import POSIX

/// Signing in through a browser with an OpenID provider or Google, by the authorization code flow with PKCE.
///
/// The identity token comes from the provider's token endpoint. It is checked like one that an app sends, also its signature.
package struct OpenIDWebSignIn: WebIdentityProvider {
    private let name: Provider
    private let client: WebClient
    private let tokens: IdentityTokenVerifier
    private let discovery: OpenIDDiscovery?
    private let calls: ProviderCalls

    /// - Parameters:
    ///   - rules: of the logins of apps. Its audiences do not count here.
    ///   - keys: the provider's, which logins of apps use as well.
    ///   - discovery: not needed if the client has both addresses.
    package init(
        name: Provider, rules: TokenRules, client: WebClient, keys: ProviderKeys, discovery: OpenIDDiscovery?,
        calls: ProviderCalls
    ) {
        var rules = rules
        (rules.audiences, rules.audienceList, rules.nonce) = ([client.id], .trusted([]), .required)
        tokens = IdentityTokenVerifier(of: name, by: rules, keys: keys)
        (self.name, self.client, self.discovery, self.calls) = (name, client, discovery, calls)
    }

    package func pageAddress(for request: ProviderRequest, requestID: String?) throws(Refusal) -> String {
        ProviderPage.address(
            try endpoints(requestID).pageURL,
            [
                ("response_type", "code"), ("client_id", client.id), ("redirect_uri", request.callback),
                ("scope", client.scopes), ("state", request.state), ("nonce", request.nonce),
                ("code_challenge", Self.challenge(of: request.codeVerifier)), ("code_challenge_method", "S256"),
            ])
    }

    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let code = answer.code else { throw .missing(.code) }
        let endpoints = try endpoints(request.requestID)
        guard isIssuer(answer.issuer, by: endpoints) else { throw .identity(.issuer, by: name) }
        let endpoint = TokenEndpoint(of: client, endpoints)
        let grant = try calls.run(at: endpoint.url, for: name, in: request, spending: code) {
            (series) throws(CallFault) in try endpoint.exchange(code, for: asked, series)
        }
        let credential = IdentityCredential(
            identityToken: grant.identityToken, nonce: asked.nonce, accessToken: grant.accessToken)
        var proven = try tokens.verify(credential, in: request)
        // This nonce is the request's, and no challenge that an app has got.
        proven.unsentNonce = nil
        return proven
    }

    /// RFC 7636, section 4.2.
    static func challenge(of verifier: String) -> String { Base64URL.encode(SHA256.hash(verifier)) }

    /// Whether the answer names this provider as its issuer, or no issuer where the provider names none. The code in
    /// an answer of another provider must not be sent to this provider (mix-up attack; RFC 9207, section 2.4).
    private func isIssuer(_ issuer: String?, by endpoints: OpenIDEndpoints) -> Bool {
        guard let issuer else { return !endpoints.namesIssuer }
        return tokens.rules.issuers.contains { issuer.isIdentical(to: $0) }
    }

    private func endpoints(_ requestID: String?) throws(Refusal) -> OpenIDEndpoints {
        if let configured = OpenIDEndpoints(of: client) { return configured }
        guard let discovery else { throw .providerUnavailable(name) }
        return try discovery.endpoints(requestID: requestID).replaced(by: client)
    }
}

/// Asks an OpenID provider whether browsers could sign in. Nothing is kept.
package struct OpenIDWebCheck {
    private let client: WebClient
    private let discovery: OpenIDDiscovery
    private let calls: ProviderCalls

    /// - Parameter issuer: whose metadata name the addresses that the client does not have.
    package init(_ client: WebClient, of provider: Provider, issuer: String, calls: ProviderCalls) {
        (self.client, self.calls) = (client, calls)
        discovery = OpenIDDiscovery(issuer: issuer, of: provider, gate: CallGate(limit: 1))
    }

    /// Whether the provider has a page, and accepts the id and the secret. It checks those before the made-up code.
    ///
    /// - Parameter callback: Gatehouse's, to which the code would have come.
    package func run(callback: String) -> ProviderCheck {
        let endpoint: TokenEndpoint
        do throws(KeySetFault) { endpoint = TokenEndpoint(of: client, try endpoints()) } catch {
            return .unavailable(error.description)
        }
        let verifier = String(repeating: "0", count: 43)
        let request = ProviderRequest(state: "", nonce: "", codeVerifier: verifier, callback: callback)
        return calls.probe(at: endpoint.url) { (series) throws(CallFault) in
            try endpoint.check(ProviderCheck.madeUpCode, for: request, series)
        }
    }

    private func endpoints() throws(KeySetFault) -> OpenIDEndpoints {
        if let configured = OpenIDEndpoints(of: client) { return configured }
        return try discovery.fetched().replaced(by: client)
    }
}
