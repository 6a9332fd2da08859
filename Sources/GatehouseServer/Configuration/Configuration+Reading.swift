import AppleID
import Gatehouse
import GatehouseTokens
import OpenSSL

extension Configuration {
    /// Reads the settings of the contract. Throws all their faults at once.
    package init(from source: SettingSource) throws(SettingFaults) {
        try source.demandReadableFile()
        var settings = SettingReader(source)
        let configuration = Self.init(reading: &settings)
        let faults = [source.denial].compactMap { $0 } + settings.faults
        guard faults.isEmpty, let configuration else { throw SettingFaults(faults: faults) }
        self = configuration
    }

    /// Nil where the keys could not be made, which has then been noted as a fault.
    private init?(reading settings: inout SettingReader) {
        environment = settings.environment()
        listen = settings.listen()
        database = settings.database()
        workers = settings.workers()
        publicAddress = settings.publicAddress()
        logLevel = settings.oneOf("LOG_LEVEL", default: .info)
        tokenIssuer = settings.text("TOKEN_ISSUER") ?? "gatehouse"
        tokenAudience = settings.text("TOKEN_AUDIENCE") ?? "gatehouse"
        apple = settings.identityTokenPolicy()
        appleKeysURL = settings.appleKeysURL()
        let server = settings.appleServer()
        appleServer = server.settings
        let sealing = settings.vault(isRequired: server.isSet)
        vault = sealing.vault
        policy = settings.policy(devSecretHash: settings.devSecretHash(in: environment), apple: apple)
        for doubt in SettingDoubts.about(policy) { settings.warn(doubt) }
        guard let rings = settings.keyRings(beside: sealing.secrets) else { return nil }
        (accessKeys, refreshKeys) = rings
        warnings = settings.warnings
        digests = settings.digests
    }
}

extension SettingReader {
    mutating func workers() -> Int {
        parsed("WORKERS", default: 64, expecting: "a number from 1 to 1024") { text in
            Int(digits: text).flatMap { (1...1024).contains($0) ? $0 : nil }
        }
    }

    mutating func appleKeysURL() -> String {
        fetchURL("APPLE_JWKS_URL", default: "https://appleid.apple.com/auth/keys")
    }

    mutating func identityTokenPolicy() -> IdentityTokenPolicy {
        IdentityTokenPolicy(
            issuers: list("APPLE_ISSUER", text("APPLE_ISSUER")) ?? [IdentityTokenPolicy.appleIssuer],
            audiences: list(
                "APPLE_BUNDLE_ID",
                required("APPLE_BUNDLE_ID", "the bundle id of the app, or several with commas between"))
                ?? [],
            nonce: oneOf("APPLE_NONCE", default: .optional))
    }

    fileprivate mutating func policy(devSecretHash: [UInt8]?, apple: IdentityTokenPolicy) -> Policy {
        let standard = RefreshPolicy()
        let (hour, decade) = (Duration.seconds(3600), Duration.seconds(3650 * 86_400))
        return Policy(
            accessTokenLifetime: accessTokenLifetime(),
            refresh: RefreshPolicy(
                tokenLifetime: refreshTokenLifetime(),
                sessionMaximumAge: duration(
                    "SESSION_MAX_AGE", default: standard.sessionMaximumAge, in: .seconds(1)...decade),
                reuseGrace: duration("REFRESH_REUSE_GRACE", default: standard.reuseGrace, in: .seconds(0)...hour)),
            devSecretHash: devSecretHash, defaultClientID: apple.audiences.first ?? "",
            auditRetention: duration(
                "AUDIT_RETENTION", default: .seconds(90 * 86_400), in: .seconds(86_400)...decade),
            sensitiveMaxAge: sensitiveMaxAge(), sessionsPerUser: sessionsPerUser(),
            apple: applePolicy(requiresChallenge: apple.nonce == .challenge))
    }

    mutating func accessTokenLifetime() -> Duration {
        duration("ACCESS_TOKEN_TTL", default: .seconds(900), in: .seconds(1)...Policy.longestAccessTokenLifetime)
    }

    mutating func refreshTokenLifetime() -> Duration {
        duration(
            "REFRESH_TOKEN_TTL", default: RefreshPolicy().tokenLifetime, in: .seconds(1)...(.seconds(3650 * 86_400)))
    }

    /// Nil, which is written `0`: no request demands a recent login.
    private mutating func sensitiveMaxAge() -> Duration? {
        let range = Duration.zero...(.seconds(365 * 86_400))
        let age = parsed("SENSITIVE_MAX_AGE", default: .zero, expecting: "0, or a time such as 10m, at most 365d") {
            text in
            Duration(setting: text == "0" ? "0s" : text).flatMap { range.contains($0) ? $0 : nil }
        }
        return age == .zero ? nil : age
    }

    private mutating func sessionsPerUser() -> Int {
        parsed("SESSIONS_PER_USER", default: 100, expecting: "a number from 1 to 10000") { text in
            Int(digits: text).flatMap { (1...10_000).contains($0) ? $0 : nil }
        }
    }

    private mutating func applePolicy(requiresChallenge: Bool) -> ApplePolicy {
        let standard = ApplePolicy()
        return ApplePolicy(
            replayGrace: duration(
                "APPLE_REPLAY_GRACE", default: standard.replayGrace, in: .seconds(0)...(.seconds(600))),
            requiresChallenge: requiresChallenge,
            onConsentRevoked: oneOf("APPLE_ON_CONSENT_REVOKED", default: standard.onConsentRevoked))
    }

    /// Anything but one of the two is a fault: a misspelt `production` must not open the development login.
    mutating func environment() -> AppEnvironment { oneOf("APP_ENV", default: .production, trimmed: true) }

    /// The development login is open only where everything says that this is development. Where it is closed its secret
    /// opens nothing, and may be any.
    fileprivate mutating func devSecretHash(in environment: AppEnvironment) -> [UInt8]? {
        let isProduction = AppEnvironment.isProduction(text("NODE_ENV")) || environment == .production
        guard let text = text("DEV_LOGIN_SECRET") else { return nil }
        guard !isProduction else {
            warn("DEV_LOGIN_SECRET is ignored: this is production")
            return nil
        }
        let secret = NamedSecret(SettingKey(name: "DEV_LOGIN_SECRET", text: text))
        return judge(secret, atLeast: 16) ? SHA256.hash(secret.bytes) : nil
    }

    /// An address we fetch from: HTTPS, or plain HTTP to this machine itself.
    mutating func fetchURL(_ name: String, default fallback: String) -> String {
        parsed(name, default: fallback, expecting: "an https URL, or an http URL of this machine") { text in
            let scheme = text.hasPrefix("https://") ? "https://" : "http://"
            guard text.hasPrefix(scheme), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            let authority = text.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
            return scheme == "https://" || Self.isLoopback(authority) ? text : nil
        }
    }

    private static func isLoopback(_ authority: Substring) -> Bool {
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        if authority.hasPrefix("[::1]") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
        guard parts.count <= 2 else { return false }
        let octets = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        return parts[0] == "localhost"
            || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8(digits: $0) != nil }
    }
}
