import Gatehouse
import GatehouseServer
import GatehouseTokens
import IdentityProviders
import JOSE
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    @Test("settings that are not set have their documented defaults")
    func defaults() throws {
        let configuration = try TestConfiguration.read()
        #expect(configuration.environment == .production)
        #expect(configuration.listen == .unix(path: "/run/gatehouse/gatehouse.sock"))
        #expect(configuration.database == .sqlite(path: "/var/lib/gatehouse/gatehouse.db"))
        #expect(configuration.logLevel == .info)
        #expect(configuration.policy.accessTokenLifetime == .seconds(15 * 60))
        #expect(configuration.policy.refresh.tokenLifetime == .seconds(30 * 86_400))
        #expect(configuration.policy.refresh.sessionMaximumAge == .seconds(365 * 86_400))
        #expect(configuration.policy.refresh.reuseGrace == .seconds(30))
        #expect(configuration.policy.auditRetention == .seconds(90 * 86_400))
        #expect(configuration.policy.devSecretHash == nil && configuration.policy.sessionsPerUser == 100)
        #expect(configuration.policy.guests == GuestPolicy(access: .off, lifetime: .seconds(30 * 86_400)))
        for value in [String?.none, "", "0", "0s"] {
            #expect(try TestConfiguration.read(["SENSITIVE_MAX_AGE": value]).policy.sensitiveMaxAge == nil)
        }
        #expect(configuration.apple.issuers == ["https://appleid.apple.com"])
        #expect(configuration.apple.audiences == ["com.example.app"])
        #expect(configuration.apple.nonce == .optional)
        #expect(configuration.apple.leeway == .seconds(60))
        #expect(configuration.appleKeysURL == "https://appleid.apple.com/auth/keys")
        #expect(configuration.accessKeys.previous.isEmpty && configuration.refreshKeys.previous.isEmpty)
        #expect(configuration.warnings.isEmpty)
    }

    @Test("the values of settings are used")
    func everythingSet() throws {
        let configuration = try TestConfiguration.read([
            "APP_ENV": "development", "LISTEN": "tcp:127.0.0.1:9000", "DATABASE_URL": "sqlite:./x.db", "WORKERS": "7",
            "LOG_LEVEL": "debug", "TOKEN_ISSUER": "i", "TOKEN_AUDIENCE": "a", "ACCESS_TOKEN_TTL": "10m",
            "REFRESH_TOKEN_TTL": "7d", "SESSION_MAX_AGE": "90d", "REFRESH_REUSE_GRACE": "0s", "AUDIT_RETENTION": "1d",
            "SENSITIVE_MAX_AGE": "10m", "SESSIONS_PER_USER": "5", "GUESTS": "bound",
            "GUEST_TTL": "90d", "APPLE_BUNDLE_ID": "com.example.app, com.example.web",
            "APPLE_NONCE": "required", "APPLE_ISSUER": "https://appleid.apple.com,https://account.apple.com",
            "APPLE_JWKS_URL": "http://127.0.0.1:8444/auth/keys",
        ])
        #expect(configuration.environment == .development)
        #expect(configuration.listen == .tcp(host: "127.0.0.1", port: 9000))
        #expect(configuration.database == .sqlite(path: "./x.db"))
        #expect(configuration.workers == 7)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.tokenIssuer == "i" && configuration.tokenAudience == "a")
        #expect(configuration.policy.accessTokenLifetime == .seconds(600))
        #expect(configuration.policy.refresh.tokenLifetime == .seconds(7 * 86_400))
        #expect(configuration.policy.refresh.sessionMaximumAge == .seconds(90 * 86_400))
        #expect(configuration.policy.refresh.reuseGrace == .zero)
        #expect(configuration.policy.auditRetention == .seconds(86_400))
        #expect(configuration.policy.sensitiveMaxAge == .seconds(600))
        #expect(configuration.policy.sessionsPerUser == 5)
        #expect(configuration.policy.guests == GuestPolicy(access: .bound, lifetime: .seconds(90 * 86_400)))
        #expect(configuration.policy.defaultClientID == "com.example.app")
        #expect(configuration.apple.audiences == ["com.example.app", "com.example.web"])
        #expect(configuration.apple.issuers == ["https://appleid.apple.com", "https://account.apple.com"])
        #expect(configuration.apple.nonce == .required)
        #expect(configuration.appleKeysURL == "http://127.0.0.1:8444/auth/keys")
    }

    @Test(
        "an invalid value is a fault of its setting only",
        arguments: [
            ("APP_ENV", ["prod", "PRODUCTION", "Development", "dev", "production.", "production development", "test"]),
            ("DATABASE_URL", ["sqlite:", "/var/lib/x.db", "SQLITE:x", "mysql://x", "x"]),
            ("WORKERS", ["0", "-1", "1025", "+4", "x", "1.5", "4 ", "99999999999999999999"]),
            ("LOG_LEVEL", ["Info", "trace", "warn", "info,debug"]),
            (
                "ACCESS_TOKEN_TTL",
                ["0s", "25h", "2d", "15", "x", "1w", "-1s", "1.5h", "15 m", "m", "9999999999999999d"]
            ),
            ("REFRESH_TOKEN_TTL", ["0s", "3651d", "x", ""]), ("SESSION_MAX_AGE", ["0d", "3651d", "1y"]),
            ("AUDIT_RETENTION", ["0s", "23h", "3651d", "90"]),
            ("SENSITIVE_MAX_AGE", ["10", "366d", "-1s", "off"]),
            ("SESSIONS_PER_USER", ["0", "-1", "10001", "x", "1.5"]),
            ("GUESTS", ["on", "true", "Open", "bound "]), ("GUEST_TTL", ["0", "0s", "30", "3651d"]),
            ("REFRESH_REUSE_GRACE", ["61m", "2h", "-1s", "30"]), ("APPLE_NONCE", ["always", "Optional", "true"]),
            ("APPLE_BUNDLE_ID", ["", ",", "a,,b", "a,", ",a", " ", "a, ,b"]), ("APPLE_ISSUER", [",", "a,", "a,,b"]),
        ])
    func badValues(name: String, values: [String]) {
        for value in values where !(value.isEmpty && name != "APPLE_BUNDLE_ID") {
            #expect(TestConfiguration.faults([name: value]).map(\.name) == [name], "\(name)=\(value)")
        }
    }

    @Test("all faults are reported at once, without a secret")
    func allAtOnce() {
        let bad: [String: String?] = [
            "APP_ENV": "Xbad-env", "LISTEN": "Xbad-listen", "DATABASE_URL": "postgresql-Xbad",
            "WORKERS": "Xbad-workers",
            "LOG_LEVEL": "Xbad-level", "ACCESS_TOKEN_TTL": "Xbad-ttl", "REFRESH_TOKEN_TTL": "Xbad-ttl",
            "SESSION_MAX_AGE": "Xbad-age", "REFRESH_REUSE_GRACE": "Xbad-grace", "APPLE_NONCE": "Xbad-nonce",
            "APPLE_JWKS_URL": "http://user:Xbad-password@example.com", "APPLE_BUNDLE_ID": nil,
            "JWT_ACCESS_SECRET": "Xbad-short", "JWT_REFRESH_SECRET": nil, "JWT_REFRESH_SECRET_PREVIOUS": "Xbad-older",
            "APPLE_TEAM_ID": "Xbad team", "APPLE_KEY_ID": "Xbad key", "APPLE_PRIVATE_KEY": "Xbad", "DATA_KEY": "Xbad",
            "DATA_KEY_PREVIOUS": "Xbad-oldest", "APPLE_TOKEN_URL": "Xbad", "APPLE_REVOKE_URL": "Xbad",
            "APPLE_MIGRATION_URL": "Xbad", "APPLE_REPLAY_GRACE": "Xbad", "APPLE_ON_CONSENT_REVOKED": "Xbad",
        ]
        let faults = TestConfiguration.faults(bad)
        #expect(Set(faults.map(\.name)) == Set(bad.keys))
        #expect(faults.count == bad.count, "each is named once")
        let text = faults.map(\.description).joined(separator: "\n")
        #expect(!text.contains("Xbad"))
        for name in bad.keys { #expect(text.contains(name)) }
    }

    @Test(
        "the development login is open only if APP_ENV is development and NODE_ENV is not production",
        arguments: [
            (app: "development", node: nil, isOpen: true), (app: "development", node: "development", isOpen: true),
            (app: "development", node: "test", isOpen: true), (app: "development", node: "production", isOpen: false),
            (app: "production", node: nil, isOpen: false), (app: "production", node: "development", isOpen: false),
            (app: nil, node: nil, isOpen: false), (app: nil, node: "development", isOpen: false),
            (app: "", node: "development", isOpen: false), (app: "development", node: "production ", isOpen: false),
            (app: "development", node: "\tproduction", isOpen: false),
            (app: "development", node: "Production", isOpen: false),
            (app: "development", node: " PRODUCTION\r", isOpen: false), (app: " development ", node: nil, isOpen: true),
            (app: "production ", node: nil, isOpen: false), (app: " ", node: nil, isOpen: false),
        ] as [(app: String?, node: String?, isOpen: Bool)])
    func devLogin(app: String?, node: String?, isOpen: Bool) throws {
        let settings = ["APP_ENV": app, "NODE_ENV": node]
        let with = try TestConfiguration.read(settings.merging(["DEV_LOGIN_SECRET": "the-secret-of-developers"]) { $1 })
        #expect((with.policy.devSecretHash != nil) == isOpen)
        #expect(with.warnings.isEmpty == isOpen)
        #expect(!with.warnings.joined().contains("the-secret-of-developers"))
        let without = try TestConfiguration.read(settings)
        #expect(without.policy.devSecretHash == nil)
        #expect(without.warnings.isEmpty)
    }

    @Test(
        "a duration is a number and a unit",
        arguments: [
            ("0s", 0), ("30s", 30), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), ("0030s", 30),
            ("36500d", 3_153_600_000),
            ("36501d", nil), ("9223372036854775807s", nil), ("9223372036854775808s", nil), ("", nil), ("s", nil),
            ("30", nil), ("30S", nil), ("30ms", nil), ("+30s", nil), ("-30s", nil), (" 30s", nil), ("30s ", nil),
            ("3 0s", nil), ("٣s", nil), ("1e3s", nil), ("0x1s", nil), ("30s30s", nil), ("1h30m", nil),
        ] as [(String, Int64?)])
    func durations(text: String, seconds: Int64?) {
        #expect(Duration(setting: text) == seconds.map { .seconds($0) })
    }

    @Test("names that resemble a setting are ignored in the environment")
    func otherNames() throws {
        _ = try TestConfiguration.read(["listen": "x", "WORKERS_": "x", "X_WORKERS": "x", "LOG_LEVEL_FILE": ""])
        #expect(throws: SettingFaults.self) { try Configuration(from: SettingSource(variables: [:])) }
    }
}
