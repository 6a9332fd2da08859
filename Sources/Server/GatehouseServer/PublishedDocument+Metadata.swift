import Gatehouse
import GatehouseTokens
import GatehouseWeb
import JOSE
import JSON

extension PublishedDocument {
    /// What verifiers of access tokens and OAuth clients look up by the issuer (RFC 8414, OpenID Connect Discovery).
    /// It names only what exists, and there is no authorization endpoint and no token endpoint.
    ///
    /// Nil unless the issuer is an https origin, where clients look the document up.
    static func metadata(issuer: String, keys: KeyRing) -> PublishedDocument? {
        guard let origin = PublicAddress(issuer)?.description else { return nil }
        // Without these two lists, a client would have to assume the authorization code grant.
        var metadata: JSONObject = [
            "issuer": .string(issuer), "response_types_supported": [], "grant_types_supported": [],
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
        return PublishedDocument(hashing: metadata.bytes)
    }
}
