import Gatehouse
import GatehouseTokens
package import IdentityProviders
import JOSE

/// Signing in with Apple, the other providers' folder, and the key that encrypts Apple's tokens.
package struct AppleSettings: Sendable {
    let issuers = Setting(
        "APPLE_ISSUER", .list(of: "issuers"), default: "https://appleid.apple.com",
        "Accepted `iss` of Apple's identity tokens.")
    package let bundleIDs = Setting(
        "APPLE_BUNDLE_ID", .list(of: "bundle IDs"), default: .required, "Accepted `aud` of Apple's identity tokens.")
    package let clientID = Setting(
        "APPLE_CLIENT_ID", .clientID, "Services ID with which browsers sign in with Apple.",
        details: """
            At Apple, the Services ID must have the app's App ID as its primary App ID: \
            [registering it](Providers.md#apple). Without this setting, browsers do not sign in with Apple.
            """)
    let nonce = Setting(
        "APPLE_NONCE", .oneOf(TokenRules.NonceRule.ofApple), default: "optional",
        "Whether a login must have a nonce.",
        details: """
            `required`: any nonce. `challenge`: a nonce from `POST /api/auth/challenge`, which is [recommended in \
            production](IOSApp.md#use-a-nonce-of-the-server-in-production).
            """)
    package let keysURL = Setting(
        "APPLE_JWKS_URL", .fetchURL, default: "https://appleid.apple.com/auth/keys", restart: true,
        "Address of Apple's public keys.",
        details: "The last good key set is kept in the database and used for up to 48 hours if it cannot be fetched.")
    package let tokenURL = Setting(
        "APPLE_TOKEN_URL", .fetchURL, default: "https://appleid.apple.com/auth/token",
        "Address at which codes are exchanged.")
    package let revokeURL = Setting(
        "APPLE_REVOKE_URL", .fetchURL, default: "https://appleid.apple.com/auth/revoke",
        "Address at which Apple's tokens are revoked.")
    package let migrationURL = Setting(
        "APPLE_MIGRATION_URL", .fetchURL, default: "https://appleid.apple.com/auth/usermigrationinfo",
        "Address at which users are moved.",
        details: "To another team, by `gatehouse apple transfer`: [transferring the app](AppTransfer.md).")
    package let authorizationURL = Setting(
        "APPLE_AUTHORIZATION_URL", .pageURL, default: AppleWebClient.standardPage,
        "Address of Apple's page.", details: "Browsers are sent there.")
    let teamID = Setting(
        "APPLE_TEAM_ID", .appleIdentifier, "Team ID of the Apple developer account.",
        details: """
            Set it together with `APPLE_KEY_ID` and `APPLE_PRIVATE_KEY`: with these three, authorization codes are \
            exchanged, and Apple's tokens are revoked when an account is deleted.
            """)
    let keyID = Setting("APPLE_KEY_ID", .appleIdentifier, "Key ID of `APPLE_PRIVATE_KEY`.")
    let privateKey = Setting(
        "APPLE_PRIVATE_KEY", .appleKey, secret: true, "Key for Sign in with Apple.")
    let providersFolder = Setting(
        "PROVIDERS_DIR", .text, "Folder with a file for each other provider of logins.",
        details: """
            If it is not set, the folder `providers.d` beside the configuration file is used, if there is one: \
            [providers](Providers.md).
            """)
    let dataKey = Setting(
        "DATA_KEY", .dataKey, default: .requiredIf("with `APPLE_PRIVATE_KEY`"), secret: true,
        "Key that encrypts Apple's tokens in the database.")
    let dataKeyPrevious = Setting(
        "DATA_KEY_PREVIOUS", .previous(.dataKey, .line), secret: true,
        "Earlier data keys, which decrypt but do not encrypt.",
        details: "One on a line. Keep them until `gatehouse keys reseal` has run.")
}

/// How Apple's token and revocation endpoints are reached.
package struct AppleServerSettings: Sendable {
    package let addresses: AppleAddresses
    package let teamID: String
    package let secrets: ClientSecrets
}

extension SettingReader<Settings> {
    var appleRules: TokenRules {
        .apple(
            issuers: self[\.apple.issuers], audiences: self[\.apple.bundleIDs] ?? [], nonce: self[\.apple.nonce])
    }

    /// The credentials for Apple's endpoints: all three settings, or none.
    mutating func appleServer() -> (isSet: Bool, settings: AppleServerSettings?) {
        let table = Settings.table
        let areSet = [isSet(\.apple.teamID), isSet(\.apple.keyID), isSet(\.apple.privateKey)]
        guard areSet.contains(true) else { return (false, nil) }
        let rows: [any SettingRow] = [table.apple.teamID, table.apple.keyID, table.apple.privateKey]
        let names = rows.map(\.name).joined(separator: ", ")
        for (row, isSet) in zip(rows, areSet) where !isSet { addMissing(row, "\(names) must be set together") }
        guard let teamID = self[\.apple.teamID], let keyID = self[\.apple.keyID], let pem = self[\.apple.privateKey],
            let key = try? SigningKey(pem: pem, keyID: keyID)
        else { return (true, nil) }
        let addresses = AppleAddresses(
            token: self[\.apple.tokenURL], revocation: self[\.apple.revokeURL], migration: self[\.apple.migrationURL])
        return (
            true,
            AppleServerSettings(addresses: addresses, teamID: teamID, secrets: ClientSecrets(teamID: teamID, key: key))
        )
    }

    /// Nil without `APPLE_CLIENT_ID`.
    func appleWebClient(by policy: WebPolicy) -> AppleWebClient? {
        self[\.apple.clientID].map {
            AppleWebClient(id: $0, pageURL: self[\.apple.authorizationURL], callback: policy.callback(of: .apple))
        }
    }
}
