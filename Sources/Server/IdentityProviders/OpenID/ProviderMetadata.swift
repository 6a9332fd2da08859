import Curl
import JSON
import Text

/// What an OpenID provider publishes about itself (OpenID Connect Discovery 1.0).
struct ProviderMetadata {
    private let members: JSONObject
    private let issuer: String

    /// Section 4.1: one slash at the end of the issuer is left out.
    static func address(of issuer: String) throws(KeySetFault) -> String {
        guard issuer.hasPrefix("https://") || isLoopbackHTTP(issuer) else {
            throw KeySetFault("the issuer \(issuer.shown) does not begin with https://")
        }
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Section 4.3: metadata of another issuer is not used, because its keys sign for that issuer.
    init(_ bytes: [UInt8], of issuer: String) throws(KeySetFault) {
        guard let members = (try? JSONValue(parsing: bytes))?.object else {
            throw KeySetFault("the metadata of the issuer is not a JSON object")
        }
        guard let named = members["issuer"]?.string else {
            throw KeySetFault("the metadata of \(issuer.shown) names no issuer")
        }
        guard named.isIdentical(to: issuer) else {
            throw KeySetFault("the metadata at \(issuer.shown) name another issuer: \(named.shown)")
        }
        (self.members, self.issuer) = (members, issuer)
    }

    /// - Parameter name: such as `jwks_uri`.
    func address(_ name: String) throws(KeySetFault) -> String {
        guard let url = members[name]?.string, url.isAddress, Self.isPermitted(url, of: issuer) else {
            throw KeySetFault("the metadata of \(issuer.shown) names no \(name) that begins with https://")
        }
        guard !IPAddress.isPrivateHost(of: url) || IPAddress.isPrivateHost(of: issuer) else {
            throw KeySetFault("the metadata of \(issuer.shown) name a private address as \(name)")
        }
        return url
    }

    /// Nil without a list of texts.
    func list(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }

    func isTrue(_ name: String) -> Bool { members[name] == true }

    /// Plain HTTP is for tests on one machine.
    private static func isPermitted(_ url: String, of issuer: String) -> Bool {
        url.hasPrefix("https://") || isLoopbackHTTP(url) && isLoopbackHTTP(issuer)
    }

    private static func isLoopbackHTTP(_ url: String) -> Bool { url.hasPrefix("http://") && Loopback.isHost(of: url) }
}

extension String {
    private static let longestAddress = 2048

    /// Whether it has only characters that a URL can have.
    fileprivate var isAddress: Bool {
        utf8.count <= Self.longestAddress && utf8.allSatisfy(\.isVisible)
    }

    /// An issuer for the log. One that could contain a secret or harm the log is not shown: it has no query and no user
    /// information (OpenID Connect Core 1.0, section 1.2).
    fileprivate var shown: String {
        let isHarmless = utf8.count <= 200 && isAddress && !utf8.contains { "?#@\"\\".utf8.contains($0) }
        return isHarmless ? self : "(not a plain URL)"
    }
}

/// Where an OpenID provider lets users sign in and exchanges codes.
struct OpenIDEndpoints: Sendable, Equatable {
    var pageURL: String
    var tokenURL: String
    var authentication = ClientAuthentication.basic
    /// Whether each of its answers says who answers (RFC 9207).
    var namesIssuer = false
}

/// How a client proves itself at the token endpoint (OpenID Connect Core 1.0, section 9).
enum ClientAuthentication: Sendable, Equatable {
    case basic
    case post
}

extension OpenIDEndpoints {
    /// As the metadata of the issuer say.
    init(_ metadata: ProviderMetadata) throws(KeySetFault) {
        pageURL = try metadata.address("authorization_endpoint")
        tokenURL = try metadata.address("token_endpoint")
        // Basic authentication is the default (OpenID Connect Discovery 1.0, section 3).
        let methods = metadata.list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        authentication = methods.contains("client_secret_basic") ? .basic : .post
        namesIssuer = metadata.isTrue("authorization_response_iss_parameter_supported")
    }

    /// As the settings say; nil unless they have both addresses.
    init?(of client: WebClient) {
        guard let pageURL = client.pageURL, let tokenURL = client.tokenURL else { return nil }
        self.init(pageURL: pageURL, tokenURL: tokenURL)
    }

    /// With the addresses that the settings have.
    func replaced(by client: WebClient) -> OpenIDEndpoints {
        var endpoints = self
        if let url = client.pageURL { endpoints.pageURL = url }
        if let url = client.tokenURL { endpoints.tokenURL = url }
        return endpoints
    }
}
