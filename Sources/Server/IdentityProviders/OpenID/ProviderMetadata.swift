import Curl
import JSON

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
        self.members = members
        self.issuer = issuer
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
        utf8.count <= Self.longestAddress && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// An issuer for the log. One that could contain a secret or harm the log is not shown: it has no query and no user
    /// information (OpenID Connect Core 1.0, section 1.2).
    fileprivate var shown: String {
        let isHarmless = utf8.count <= 200 && isAddress && !utf8.contains { "?#@\"\\".utf8.contains($0) }
        return isHarmless ? self : "(not a plain URL)"
    }
}
