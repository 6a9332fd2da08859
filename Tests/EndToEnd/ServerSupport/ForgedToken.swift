import GatehouseTokens
import JOSE
import JSON

/// Tokens that an attacker makes with a token, with one secret, or with everything but one secret.
enum ForgedToken {
    /// Raises the role in an access token without signing it again.
    static func withRoleRaised(_ token: String) throws -> String {
        var parts = token.split(separator: ".").map(String.init)
        var claims = try JSONValue(parsing: Base64URL.decode(parts[1]) ?? []).object ?? [:]
        claims["role"] = "ADMIN"
        parts[1] = Base64URL.encode(claims.bytes)
        return parts.joined(separator: ".")
    }

    /// A correctly signed access token like this one with another role.
    static func accessToken(like token: String, role: String) throws -> String {
        try accessToken(like: token, claim: "role", role)
    }

    /// A correctly signed access token like this one with another value of a claim.
    static func accessToken(like token: String, claim: String, _ value: String) throws -> String {
        try accessToken(like: token) { $0[claim] = .string(value) }
    }

    /// A correctly signed access token like this one with another time of the login, or with none.
    static func accessToken(like token: String, authenticatedAt seconds: Int64?) throws -> String {
        try accessToken(like: token) { $0["auth_time"] = seconds.map { .integer($0) } }
    }

    /// A correctly signed access token like this one with another `acr`, or with none, as before there was one.
    static func accessToken(like token: String, acr: String?) throws -> String {
        try accessToken(like: token) { $0["acr"] = acr.map { .string($0) } }
    }

    private static func accessToken(like token: String, change: (inout JSONObject) -> Void) throws -> String {
        let payload = token.split(separator: ".")[1]
        var claims = try JSONValue(parsing: Base64URL.decode(String(payload)) ?? []).object ?? [:]
        change(&claims)
        let key = try KeyRing(secret: Array(TestSettings.accessSecret.utf8)).current
        return TokenSigner(key: key, type: "at+jwt").token(for: claims.bytes)
    }

    /// A refresh token with the claims of another, this generation and a new random part.
    static func refreshToken(like payload: String, generation: Int64) throws -> String {
        var claims = try JSONValue(parsing: Base64URL.decode(payload) ?? []).object ?? [:]
        claims["gen"] = .integer(generation)
        claims["jti"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 16)))
        return try refreshToken(claims)
    }

    /// A refresh token with these claims. It always has our secret's key id.
    static func refreshToken(_ claims: JSONObject, secret: String = TestSettings.refreshSecret) throws -> String {
        let current = try KeyRing(secret: Array(TestSettings.refreshSecret.utf8)).current
        let key = try SigningKey(hmacSecret: Array(secret.utf8), keyID: current.keyID)
        return TokenSigner(key: key, type: "rt+jwt").token(for: claims.bytes)
    }
}
