package import Gatehouse
import POSIX

/// Asks an OpenID provider whether browsers could sign in. Nothing is kept.
package struct OpenIDWebCheck {
    private let client: WebClient
    private let discovery: OpenIDDiscovery?
    private let calls: ProviderCalls

    /// - Parameter issuer: whose metadata name the addresses that the client does not have.
    package init(_ client: WebClient, of provider: Provider, issuer: String, calls: ProviderCalls) {
        self.client = client
        self.calls = calls
        discovery =
            client.needsMetadata
            ? OpenIDDiscovery(issuer: issuer, of: provider, gate: CallGate(limit: 1)) : nil
    }

    /// Whether the provider has a page, and accepts the id and the secret. It checks those before the made-up code.
    ///
    /// - Parameter callback: Gatehouse's, to which the code would have come.
    package func run(callback: String) -> ProviderCheck {
        let endpoints: OpenIDEndpoints
        do throws(KeySetFault) { endpoints = try discovery?.fetched() ?? .unknown } catch {
            return .unavailable(error.description)
        }
        guard client.pageURL ?? endpoints.pageURL != nil else { return Self.missing("authorization_endpoint") }
        guard let endpoint = TokenEndpoint(of: client, endpoints) else { return Self.missing("token_endpoint") }
        let verifier = String(repeating: "0", count: 43)
        let request = ProviderRequest(state: "", nonce: "", codeVerifier: verifier, callback: callback)
        return calls.probe(at: endpoint.url) { (series) throws(CallFault) in
            try endpoint.check(ProviderCheck.madeUpCode, for: request, series)
        }
    }

    private static func missing(_ name: String) -> ProviderCheck {
        .unavailable("the metadata of the issuer names no \(name) that begins with https://")
    }
}
