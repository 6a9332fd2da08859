import JOSE
import StoreSupport

/// The settings of the servers in tests.
enum TestSettings {
    static let accessSecret = "an access secret of more than thirty-two bytes"
    static let refreshSecret = "a refresh secret of more than thirty-two bytes"

    static func standard(folder: String, keysURL: String) throws -> [String: String] {
        [
            "APP_ENV": "development", "LISTEN": "unix:\(folder)/g.sock",
            "DATABASE_CONNECTIONS": "3", "DATABASE_URL": try TestDatabase(file: "\(folder)/g.db").url,
            "JWT_ACCESS_SECRET": accessSecret, "JWT_REFRESH_SECRET": refreshSecret,
            "APPLE_BUNDLE_ID": FakeAppleIssuer.bundleID, "APPLE_JWKS_URL": keysURL,
            "DEV_LOGIN_SECRET": InProcessServer.devSecret, "LOG_LEVEL": "debug",
        ]
    }

    /// The issuer of access tokens is an address, so that the metadata is published.
    static let issuer = "https://login.example.com"

    static let signingKey = key(.ES256)
    static let signingKeyBefore = key(.EdDSA)

    /// Signs access tokens with a key, also accepts a previous key, and publishes both.
    static func publishKeys(_ variables: inout [String: String]) {
        variables["ACCESS_SIGNING_KEY"] = signingKey.pem
        variables["ACCESS_SIGNING_KEY_PREVIOUS"] = signingKeyBefore.pem
        variables["TOKEN_ISSUER"] = issuer
    }

    /// Publishes each file about passkeys.
    static func publishPasskeys(_ variables: inout [String: String]) {
        variables["PASSKEY_RP_ID"] = "example.com"
        variables["PASSKEY_ORIGINS"] = "https://example.com,https://example.org"
        let hash = Base64URL.encode([UInt8](repeating: 1, count: 32))
        variables["PASSKEY_APPS"] = "ABCDE12345.com.example.app,android:apk-key-hash:\(hash)@com.example.app"
    }

    static func publishAll(_ variables: inout [String: String]) {
        publishKeys(&variables)
        publishPasskeys(&variables)
    }

    private static func key(_ algorithm: Algorithm) -> SigningKey {
        do { return try SigningKey.generate(algorithm) } catch { fatalError("\(error)") }
    }
}
