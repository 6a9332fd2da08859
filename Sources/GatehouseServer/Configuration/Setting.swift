/// A setting that there is: everything that a configuration file may name.
package struct Setting: Sendable {
    package let name: String
    /// Whoever knows the value can do what only Gatehouse should.
    package let isSecret: Bool
    /// What has been built on it at the start cannot be exchanged while requests are under way.
    package let needsRestart: Bool

    private init(_ name: String, isSecret: Bool = false, needsRestart: Bool = false) {
        self.name = name
        self.isSecret = isSecret
        self.needsRestart = needsRestart
    }

    package static let all = secret + fixed + plain

    private static let secret = [
        "JWT_ACCESS_SECRET", "JWT_ACCESS_SECRET_PREVIOUS", "JWT_REFRESH_SECRET", "JWT_REFRESH_SECRET_PREVIOUS",
        "ACCESS_SIGNING_KEY", "ACCESS_SIGNING_KEY_PREVIOUS", "APPLE_PRIVATE_KEY", "DATA_KEY", "DATA_KEY_PREVIOUS",
        "DEV_LOGIN_SECRET",
    ].map { Setting($0, isSecret: true) }

    private static let fixed = ["LISTEN", "DATABASE_URL", "WORKERS", "APPLE_JWKS_URL"]
        .map { Setting($0, needsRestart: true) }

    private static let plain = [
        "APP_ENV", "NODE_ENV", "LOG_LEVEL", "ACCESS_TOKEN_TTL", "REFRESH_TOKEN_TTL", "SESSION_MAX_AGE",
        "REFRESH_REUSE_GRACE", "TOKEN_ISSUER", "TOKEN_AUDIENCE", "APPLE_BUNDLE_ID", "APPLE_ISSUER", "APPLE_NONCE",
        "APPLE_REPLAY_GRACE", "APPLE_ON_CONSENT_REVOKED", "APPLE_TEAM_ID", "APPLE_KEY_ID", "APPLE_TOKEN_URL",
        "APPLE_REVOKE_URL", "AUDIT_RETENTION", "SENSITIVE_MAX_AGE", "SESSIONS_PER_USER", "PUBLIC_URL",
    ].map { Setting($0) }

    /// Every name that a line of a configuration file may begin with.
    static let writable: Set<String> = Set(all.flatMap { [$0.name, $0.name + "_FILE"] } + ["CREDENTIALS_DIRECTORY"])

    /// What somebody may have meant who wrote this name; nil where it is like none.
    static func resembling(_ name: String) -> String? {
        let name = name.uppercased()
        // Nobody mistypes a name into one of twice its length.
        guard name.utf8.count <= 64 else { return nil }
        let nearest = writable.sorted().map { ($0, name.editDistance(to: $0)) }.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= max(1, $0.0.utf8.count / 5) ? $0.0 : nil }
    }
}

extension String {
    /// How many bytes have to be put in, taken out or replaced.
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other.utf8)
        var row = Array(0...target.count)
        for (index, byte) in utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let replaced = diagonal + (byte == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
