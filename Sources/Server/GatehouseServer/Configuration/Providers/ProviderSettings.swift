import Gatehouse
import IdentityProviders
import JOSE

/// The table of the settings of a provider's file. `ProviderKind.settings` says which of them a kind has.
package struct ProviderSettings: SettingsTable {
    package static let table = ProviderSettings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingRow }

    /// The names with which a line of a provider's file may begin.
    static let names = SettingNames(ofFolder: all)

    let kind = Setting(
        "KIND", .oneOf(ProviderKind.self), default: .required, "The service that proves identities.",
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
