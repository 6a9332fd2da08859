import Text

/// The client with which a provider lets users sign in through a browser. It may differ from the clients of the apps.
package struct WebClient: Sendable, Equatable {
    package let id: String
    package let secret: String
    /// The provider's page; nil to read its address from the metadata of the issuer.
    package let pageURL: String?
    /// Where a code is exchanged; nil to read the address from the metadata of the issuer. WeChat and QQ have it in their API.
    package let tokenURL: String?
    /// What an OpenID provider is asked for.
    package let scopes: String

    /// Whether an OpenID provider's metadata are needed.
    package var needsMetadata: Bool { pageURL == nil || tokenURL == nil }

    package static let standardScopes = "openid email profile"

    package init(
        id: String, secret: String, pageURL: String? = nil, tokenURL: String? = nil,
        scopes: String = Self.standardScopes
    ) {
        self.id = id
        self.secret = secret
        self.pageURL = pageURL
        self.tokenURL = tokenURL
        self.scopes = scopes
    }
}

/// The address of a provider's page with what Gatehouse asks for.
enum ProviderPage {
    /// - Parameters:
    ///   - url: without a fragment. Parameters that it has already stay in front (RFC 6749, section 3.1).
    ///   - fragment: with its sign.
    static func address(
        _ url: String, _ parameters: [(String, String)], fragment: String = ""
    ) -> String {
        let query = FormEncoding.encode(parameters)
        let isOpen = url.hasSuffix("?") || url.hasSuffix("&")
        return url + (isOpen ? "" : url.contains("?") ? "&" : "?") + query + fragment
    }
}
