import Gatehouse
import IdentityProviders
import JOSE
import Text

/// The table of the settings of a provider's file. `ProviderKind.settings` says which of them a kind has.
package struct ProviderSettings: SettingsTable {
    package static let table = ProviderSettings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingRow }

    /// The kinds, in the order of messages.
    package static let kinds: [any ProviderKind.Type] = [GoogleKind.self, OpenIDKind.self, WeChatApp.self, QQApp.self]

    /// The names with which a line of a provider's file may begin.
    static let names = SettingNames(ofFolder: all)

    let kind = Setting(
        "KIND", .kind, default: .required, "The service that proves identities.",
        details: "It decides which of the other settings the file has.")

    // MARK: OpenID

    let issuer = Setting(
        "ISSUER", .issuer, "Accepted `iss` of identity tokens.",
        details: """
            It is compared byte for byte, also a slash at its end. For `google` it is Google's: set it for a stand-in only.
            """)
    let keysURL = Setting(
        "JWKS_URL", .fetchURL, "Address of the provider's public keys.",
        details: """
            If it is not set, the address is read from the metadata at `ISSUER/.well-known/openid-configuration`. For \
            `google` without `ISSUER` it is Google's.
            """)
    let audiences = Setting(
        "AUDIENCE", .list(of: "client IDs"), default: .required, "Accepted `aud` of identity tokens.",
        details: "They are the client IDs that the provider has given to your apps.")
    let authorizedParties = Setting(
        "AUTHORIZED_PARTIES", .list(of: "client IDs"), "Accepted `azp` of identity tokens, besides `AUDIENCE`.",
        details: "They are the apps that ask the provider for a token for your server.")
    let algorithms = Setting(
        "ALGORITHMS", .publicKeyAlgorithms, "Accepted algorithms of signatures.")
    let nonce = Setting(
        "NONCE", .oneOf(TokenRules.NonceRule.ofOpenID), "Whether a login must have a nonce.",
        details: """
            `required`: the app sends a nonce, and the token must contain that nonce, or its SHA-256 in lower-case \
            hexadecimal. `if-sent`: the same, but the app may leave the nonce out. `challenge`: the app sends a nonce of \
            `POST /api/auth/challenge`.
            """)
    let maximumAge = Setting(
        "MAX_AGE", .duration(.seconds(1)...(.seconds(86_400))), "Maximum age of an identity token.",
        details: "It is counted from `iat`. An expired token is refused at any age.")
    let required = Setting(
        "REQUIRE", .requiredClaims, "Claims that a token must have with this value.",
        details: "A token without one of them is refused. An example is `email_verified=true,hd=example.com`.")

    // MARK: WeChat and QQ

    let appID = Setting(
        "APP_ID", .appID, default: .required, "ID of your app at the provider.")
    let appSecret = Setting(
        "APP_SECRET", .appSecret, default: .required, secret: true, "Secret of your app at WeChat.")
    let appKey = Setting(
        "APP_KEY", .appSecret, default: .required, secret: true, "Key of your app at QQ.")
    let apiURL = Setting(
        "API_URL", .baseURL, "Address of the provider's API.", details: "Another one is for a stand-in only.")

    // MARK: Signing in through a browser

    let clientID = Setting(
        "CLIENT_ID", .clientID, "ID of the client with which browsers sign in.",
        details: """
            Set it together with `CLIENT_SECRET`. The address of [the callback](#browsers) has to be registered for it at the \
            provider. Without it, browsers do not sign in with the provider.
            """)
    let clientSecret = Setting(
        "CLIENT_SECRET", .appSecret, default: .requiredIf("with `CLIENT_ID`"), secret: true, "Secret of this client.")
    let pageURL = Setting(
        "AUTHORIZATION_URL", .pageURL, "Address of the provider's page, to which browsers are sent.",
        details: """
            Without a default, it is the metadata's `authorization_endpoint`; for `google` without `ISSUER` it is Google's.
            """)
    let tokenURL = Setting(
        "TOKEN_URL", .fetchURL, "Address at which codes are exchanged.",
        details: """
            If it is not set, it is the metadata's `token_endpoint`; for `google` without `ISSUER` it is Google's. With both \
            addresses no metadata are read: the id and the secret are then sent in the header `Authorization`.
            """)
    let scopes = Setting(
        "SCOPES", .scopes, "What the provider is asked for.",
        details: "With `email` and `profile`, the provider tells the address and the name of a user.")
}

extension SettingParser where Value == any ProviderKind.Type {
    static var kind: Self {
        let kinds = ProviderSettings.kinds
        return Self("one of " + kinds.map { $0.kind }.joined(separator: ", ")) { text in kinds.first { $0.kind == text }
        }
    }
}

extension SettingParser where Value == String {
    /// The issuer of identity tokens, below which its metadata is.
    static var issuer: Self { address("an https URL without a query, or an http URL of this machine") { $0 } }

    /// An address to which paths are appended.
    static var baseURL: Self {
        address("an https URL without a query, or an http URL of this machine") { url in
            url.hasSuffix("/") ? String(url.dropLast()) : url
        }
    }

    private static func address(_ format: String, _ value: @escaping @Sendable (String) -> String) -> Self {
        let url = fetchURL
        return Self(format) { text in
            var faults: [String] = []
            guard !text.contains("?"), !text.contains("#") else { return nil }
            return url.parse(text, &faults).map(value)
        }
    }

    static var appID: Self {
        Self("up to 64 letters, digits, - and _") { text in
            text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) == nil ? nil : text
        }
    }

    /// The provider makes it, so its strength is not ours to judge.
    static var appSecret: Self {
        Self("up to 256 printable ASCII characters without blanks") { text in
            (1...256).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisible) ? text : nil
        }
    }
}

extension SettingParser where Value == [Algorithm] {
    /// Algorithms whose public keys a provider can publish.
    static var publicKeyAlgorithms: Self {
        let known: [Algorithm] = [.RS256, .ES256, .EdDSA]
        return Self("a list of " + known.map(\.rawValue).joined(separator: ", ") + " separated by commas") { text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
                String($0).trimmingWhiteSpace
            }
            let algorithms = names.compactMap { name in known.first { $0.rawValue == name } }
            return algorithms.count == names.count ? algorithms : nil
        }
    }
}

extension SettingParser where Value == [RequiredClaim] {
    /// A claim has one value, so one that is named twice could never have both.
    static var requiredClaims: Self {
        Self("a list of claim=value separated by commas, each claim once") { text in
            let entries = text.split(separator: ",", omittingEmptySubsequences: false)
            let claims = entries.compactMap { RequiredClaim(setting: String($0)) }
            return claims.count == entries.count && Set(claims.map(\.name)).count == claims.count ? claims : nil
        }
    }
}

extension RequiredClaim {
    /// Reads `claim=value`.
    fileprivate init?(setting text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = String(text[..<equals]).trimmingWhiteSpace
        let value = String(text[text.index(after: equals)...]).trimmingWhiteSpace
        guard !name.isEmpty, !value.isEmpty else { return nil }
        self.init(name: name, value: value)
    }
}
