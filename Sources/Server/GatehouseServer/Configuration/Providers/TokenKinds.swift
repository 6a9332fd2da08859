package import Gatehouse
package import IdentityProviders
import JOSE

/// A kind whose providers issue identity tokens.
package protocol TokenKind: ProviderKind {
    var rules: TokenRules { get }
    var keys: KeySetAddress { get }

    init(_ rules: TokenRules, _ keys: KeySetAddress)
}

/// A provider whose identity tokens follow OpenID Connect.
package struct OpenIDKind: TokenKind {
    package static let kind = "openid"

    package let rules: TokenRules
    package let keys: KeySetAddress

    package init(_ rules: TokenRules, _ keys: KeySetAddress) {
        (self.rules, self.keys) = (rules, keys)
    }

    package static var settings: [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.issuer, .required), ProviderSetting(table.keysURL),
            ProviderSetting(table.audiences), ProviderSetting(table.authorizedParties),
            ProviderSetting(table.algorithms, .text("RS256,ES256")), ProviderSetting(table.nonce, .text("required")),
            ProviderSetting(table.maximumAge, .text("1h")), ProviderSetting(table.required),
        ] + webSettings
    }

    package init?(_ settings: SettingReader<ProviderSettings>) {
        guard let issuer = settings[\.issuer], let algorithms = settings[\.algorithms] else { return nil }
        self.init(
            settings, issuers: [issuer], algorithms: algorithms, emailRule: .claim, keys: .discovery(issuer: issuer))
    }

    package static func webClient(
        id: String, secret: String, _ settings: SettingReader<ProviderSettings>
    ) -> WebClient? {
        webClient(id: id, secret: secret, settings, page: nil, token: nil)
    }

    package func provider(_ name: Provider, _ parts: ProviderParts) -> (any IdentityProvider)? {
        parts.keys.map { IdentityTokenVerifier(of: name, by: rules, keys: $0, replayGrace: parts.replayGrace) }
    }
}

/// Google, which signs with RS256 alone. Its libraries for apps make a nonce that not every app learns.
package struct GoogleKind: TokenKind {
    package static let kind = "google"

    /// Google writes its issuer in two ways.
    private static let issuers = ["https://accounts.google.com", "accounts.google.com"]
    private static let keysURL = "https://www.googleapis.com/oauth2/v3/certs"
    private static let pageURL = "https://accounts.google.com/o/oauth2/v2/auth"
    private static let tokenURL = "https://oauth2.googleapis.com/token"

    package let rules: TokenRules
    package let keys: KeySetAddress

    package init(_ rules: TokenRules, _ keys: KeySetAddress) {
        (self.rules, self.keys) = (rules, keys)
    }

    package static var settings: [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.audiences), ProviderSetting(table.authorizedParties),
            ProviderSetting(table.nonce, .text("if-sent")), ProviderSetting(table.maximumAge, .text("1h")),
            ProviderSetting(table.required), ProviderSetting(table.issuer), ProviderSetting(table.keysURL),
        ] + webSettings
    }

    package init?(_ settings: SettingReader<ProviderSettings>) {
        let issuer = settings[\.issuer]
        // The keys of another issuer are not Google's.
        self.init(
            settings, issuers: issuer.map { [$0] } ?? Self.issuers, algorithms: [.RS256], emailRule: .google,
            keys: issuer.map { .discovery(issuer: $0) } ?? .keySet(url: Self.keysURL))
    }

    package static func webClient(
        id: String, secret: String, _ settings: SettingReader<ProviderSettings>
    ) -> WebClient? {
        // Those of another issuer are in its metadata.
        let isGoogle = settings[\.issuer] == nil
        return webClient(
            id: id, secret: secret, settings, page: isGoogle ? pageURL : nil, token: isGoogle ? tokenURL : nil)
    }

    package func provider(_ name: Provider, _ parts: ProviderParts) -> (any IdentityProvider)? {
        parts.keys.map { GoogleProvider(name: name, rules: rules, keys: $0, replayGrace: parts.replayGrace) }
    }
}

// MARK: - What these kinds have in common

extension TokenKind {
    package var openID: (rules: TokenRules, keys: KeySetAddress)? { (rules, keys) }
    package var app: (id: String, secretSetting: String, apiURL: String)? { nil }

    /// - Parameter keys: where they are without `JWKS_URL`.
    init?(
        _ settings: SettingReader<ProviderSettings>, issuers: [String], algorithms: [Algorithm],
        emailRule: TokenRules.EmailRule, keys: KeySetAddress
    ) {
        guard let audiences = settings[\.audiences], let nonce = settings[\.nonce],
            let maximumAge = settings[\.maximumAge]
        else { return nil }
        let rules = TokenRules.openID(
            issuers: issuers, audiences: audiences, authorizedParties: settings[\.authorizedParties] ?? [],
            algorithms: algorithms, nonce: nonce, maximumAge: maximumAge, required: settings[\.required] ?? [],
            emailRule: emailRule)
        self.init(rules, settings[\.keysURL].map { .keySet(url: $0) } ?? keys)
    }

    static var webSettings: [ProviderSetting] {
        let table = ProviderSettings.table
        return clientSettings(page: .none)
            + [ProviderSetting(table.tokenURL), ProviderSetting(table.scopes, .text(WebClient.standardScopes))]
    }

    /// - Parameters:
    ///   - page: the address without `AUTHORIZATION_URL`; nil if it is in the metadata of the issuer.
    ///   - token: the same without `TOKEN_URL`.
    static func webClient(
        id: String, secret: String, _ settings: SettingReader<ProviderSettings>, page: String?, token: String?
    ) -> WebClient? {
        settings[\.scopes].map { scopes in
            WebClient(
                id: id, secret: secret, pageURL: settings[\.pageURL] ?? page, tokenURL: settings[\.tokenURL] ?? token,
                scopes: scopes)
        }
    }

    package func webProvider(
        _ name: Provider, _ client: WebClient, _ parts: ProviderParts
    ) -> (any WebIdentityProvider)? {
        parts.keys.map {
            OpenIDWebSignIn(
                name: name, rules: rules, client: client, keys: $0, discovery: parts.discovery, calls: parts.calls)
        }
    }

    package func checkApp(_ name: Provider, calls: ProviderCalls) -> ProviderCheck? { nil }

    package func check(
        _ client: WebClient, of name: Provider, callback: String, calls: ProviderCalls
    ) -> ProviderCheck? {
        OpenIDWebCheck(client, of: name, issuer: rules.issuers.first ?? "", calls: calls).run(callback: callback)
    }
}
