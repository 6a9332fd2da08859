package import Gatehouse
import POSIX

/// Asks an OpenID provider whether browsers could sign in. Nothing is kept.
package struct OpenIDWebCheck {
    private let client: WebClient
    private let discovery: OpenIDDiscovery
    private let calls: ProviderCalls

    /// - Parameter issuer: whose metadata name the addresses that the client does not have.
    package init(_ client: WebClient, of provider: Provider, issuer: String, calls: ProviderCalls) {
        self.client = client
        self.calls = calls
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
