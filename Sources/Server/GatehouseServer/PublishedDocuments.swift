import Gatehouse
import GatehouseTokens
package import GatehouseWeb
import JOSE
import JSON
import OpenSSL

extension PublishedDocument {
    /// What verifiers of access tokens and OAuth clients look up by the issuer (RFC 8414, OpenID Connect Discovery).
    ///
    /// Nil unless the issuer is an https origin, where clients look the document up.
    ///
    /// - Parameter webProviders: the providers that sign in through a browser.
    static func metadata(issuer: String, keys: KeyRing, webProviders: [String]) -> PublishedDocument? {
        guard let origin = PublicAddress(issuer)?.description else { return nil }
        var metadata: JSONObject = [
            "issuer": .string(issuer),
            "revocation_endpoint": .string(origin + "/api/auth/revoke"),
            "revocation_endpoint_auth_methods_supported": ["none"],
            "dpop_signing_alg_values_supported": .array(DPoPPolicy.algorithms.map { .string($0) }),
        ]
        let algorithms = keys.publishedAlgorithms.map { JSONValue.string($0.rawValue) }
        if !algorithms.isEmpty {
            metadata["jwks_uri"] = .string(origin + "/.well-known/jwks.json")
            metadata["subject_types_supported"] = ["public"]
            // Verifiers look for the algorithms of all tokens under this name.
            metadata["id_token_signing_alg_values_supported"] = .array(algorithms)
        }
        addGrants(to: &metadata, at: origin, webProviders)
        return PublishedDocument(hashing: metadata.bytes)
    }

    /// How clients get tokens. Each provider has an authorization endpoint, so the one of the standard is left out.
    private static func addGrants(to metadata: inout JSONObject, at origin: String, _ webProviders: [String]) {
        guard !webProviders.isEmpty else {
            // Without these two lists, a client would have to assume the authorization code grant.
            metadata["response_types_supported"] = []
            metadata["grant_types_supported"] = []
            return
        }
        metadata["response_types_supported"] = ["code"]
        metadata["grant_types_supported"] = ["authorization_code", "refresh_token"]
        metadata["token_endpoint"] = .string(origin + "/api/auth/exchange")
        metadata["token_endpoint_auth_methods_supported"] = ["none"]
        metadata["code_challenge_methods_supported"] = ["S256"]
        metadata["authorization_response_iss_parameter_supported"] = true
        var starts: JSONObject = [:]
        for name in webProviders { starts[name] = .string("\(origin)/api/auth/\(name)/start") }
        metadata["authorization_endpoints"] = .object(starts)
    }
}

extension PublishedDocument {
    /// The description of the API, with the version of this program.
    package static let openAPI = PublishedDocument(hashing: OpenAPIDocument.bytes(version: Version.current))

    /// The same without the operations that only the machine itself reaches.
    package static let openAPIForClients = PublishedDocument(
        hashing: OpenAPIDocument.bytesForClients(version: Version.current))

    /// The tag is a hash, so that every process and every node has the same tag for the same bytes.
    init(hashing bytes: [UInt8]) {
        self.init(bytes: bytes, tag: Base64URL.encode(SHA256.hash(bytes)))
    }
}
