/// What browsers and apps that sign in through a browser may do.
package struct WebPolicy: Sendable, Equatable {
    /// Where a sign-in may end. Empty disables signing in through a browser.
    package var redirectURIs: [RedirectURI]
    /// The https origin of this server, such as `https://api.example.com`; nil if it is not known.
    package var origin: String?
    /// The origins of other servers, whose pages may call the API.
    package var corsOrigins: [String]
    /// The issuer in the answers to apps (RFC 9207); nil if it is not an address.
    package var issuer: String?
    /// The ways to sign in, by their names in lower case, in the order in which pages show them. Others follow.
    package var order: [String]
    /// Whether a developer sees why an address of an app is refused.
    package var isDevelopment: Bool

    package init(
        redirectURIs: [RedirectURI] = [], origin: String? = nil, corsOrigins: [String] = [], issuer: String? = nil,
        order: [String] = [], isDevelopment: Bool = false
    ) {
        self.redirectURIs = redirectURIs
        self.origin = origin
        self.corsOrigins = corsOrigins
        self.issuer = issuer
        self.order = order
        self.isDevelopment = isDevelopment
    }

    func ordered(_ ways: [String]) -> [String] {
        func rank(_ way: String) -> Int { order.firstIndex(of: way) ?? order.count }
        return ways.sorted { (rank($0), $0) < (rank($1), $1) }
    }

    /// Whether the pages of an origin may use the session in the browser's cookie.
    package func permits(origin other: String) -> Bool {
        !other.isEmpty && (other == origin || corsOrigins.contains(other))
    }

    package func permits(redirectURI other: String) -> Bool { redirectURIs.contains { $0.matches(other) } }

    /// Where a provider sends the browser back to; nil without an origin.
    package func callback(of provider: Provider) -> String? {
        origin.map { "\($0)/api/auth/\(provider.lowercaseName)/callback" }
    }
}

extension AuthService {
    package var web: WebPolicy { policy.web }

    /// Whether a provider signs in through a browser here.
    package func signsInOnTheWeb(_ provider: Provider) -> Bool {
        !policy.web.redirectURIs.isEmpty && webProviders[provider] != nil
    }

    /// The providers that sign in through a browser, as paths have their names.
    package var webProviderNames: [String] {
        web.ordered(webProviders.keys.filter(signsInOnTheWeb).map(\.lowercaseName))
    }

    /// The channels by which codes are sent.
    package var codeChannels: [String] { web.ordered(senders.keys.map(\.rawValue)) }
}
