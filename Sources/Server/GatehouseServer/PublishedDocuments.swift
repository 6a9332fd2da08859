import Gatehouse
import GatehouseTokens
package import GatehouseWeb
import JOSE
import JSON
import OpenSSL
import Text

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

extension PasskeyDocuments {
    /// - Parameter passkeys: nil if they are off: then nothing is published.
    package init(_ passkeys: PublishedPasskeys?) {
        guard let passkeys else {
            self.init()
            return
        }
        let apps = passkeys.apps.compactMap { if case .apple(let id) = $0 { JSONValue.string(id) } else { nil } }
        let origins = passkeys.relatedOrigins.map(JSONValue.string)
        var pages: JSONObject = [:]
        for (name, url) in passkeys.pages { pages[name] = .string(url) }
        self.init(
            iOS: apps.isEmpty ? nil : Self.document(["webcredentials": ["apps": .array(apps)]]),
            android: Self.assetLinks(passkeys.apps).map { PublishedDocument(hashing: $0) },
            relatedOrigins: origins.isEmpty ? nil : Self.document(["origins": .array(origins)]),
            // Without pages it still says that there are passkeys.
            pages: Self.document(pages))
    }

    private static func document(_ object: JSONObject) -> PublishedDocument {
        PublishedDocument(hashing: object.bytes)
    }

    /// Digital Asset Links: an entry for each package, with all of its certificates.
    private static func assetLinks(_ apps: [PasskeyApp]) -> [UInt8]? {
        var packages: [(name: String, certificates: [JSONValue])] = []
        for case .android(let hash, let name?) in apps {
            let text = hash.map { Hexadecimal.text([$0]).uppercased() }.joined(separator: ":")
            if let place = packages.firstIndex(where: { $0.name == name }) {
                packages[place].certificates.append(.string(text))
            } else {
                packages.append((name, [.string(text)]))
            }
        }
        let entries = packages.map { name, certificates -> JSONValue in
            [
                "relation": ["delegate_permission/common.get_login_creds"],
                "target": [
                    "namespace": "android_app", "package_name": .string(name),
                    "sha256_cert_fingerprints": .array(certificates),
                ],
            ]
        }
        return entries.isEmpty ? nil : JSONValue.array(entries).bytes
    }
}

extension PublishedDocument {
    /// The description of the API, with the version of this program.
    package static let openAPI = PublishedDocument(hashing: OpenAPIDocument.bytes(version: Version.current))

    /// For generators of clients: see `OpenAPIDocument.bytesForClients`.
    package static let openAPIForClients = PublishedDocument(
        hashing: OpenAPIDocument.bytesForClients(version: Version.current))

    /// The tag is a hash, so that every process and every node has the same tag for the same bytes.
    init(hashing bytes: [UInt8]) {
        self.init(bytes: bytes, tag: Base64URL.encode(SHA256.hash(bytes)))
    }
}
