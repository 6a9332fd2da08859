import GatehouseTokens
import JOSE
import JSON

/// What somebody makes who has a secret of ours and nothing else, or everything else, or a token.
enum Forgery {
    /// An access token whose owner has helped themselves to another role.
    static func raised(_ token: String) throws -> String {
        var parts = token.split(separator: ".").map(String.init)
        var claims = try JSONValue(parsing: Base64URL.decode(parts[1]) ?? []).object ?? [:]
        claims["role"] = "ADMIN"
        parts[1] = Base64URL.encode(claims.bytes)
        return parts.joined(separator: ".")
    }

    /// An access token like another, but of somebody with that role.
    static func accessToken(like token: String, role: String) throws -> String {
        try accessToken(like: token, claim: "role", role)
    }

    /// An access token like another, rightly signed, with another value in one claim.
    static func accessToken(like token: String, claim: String, _ value: String) throws -> String {
        let payload = token.split(separator: ".")[1]
        var claims = try JSONValue(parsing: Base64URL.decode(String(payload)) ?? []).object ?? [:]
        claims[claim] = .string(value)
        let key = try KeyRing(secret: Array(Settings.accessSecret.utf8)).current
        return TokenSigner(key: key, type: "at+jwt").token(for: claims.bytes)
    }

    /// A refresh token with the claims of another, of whatever generation, but with dice of its own.
    static func refreshToken(like payload: String, generation: Int64) throws -> String {
        var claims = try JSONValue(parsing: Base64URL.decode(payload) ?? []).object ?? [:]
        claims["gen"] = .integer(generation)
        claims["jti"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 16)))
        return try refreshToken(claims)
    }

    /// A refresh token of these claims. It names our secret, whatever it is signed with.
    static func refreshToken(_ claims: JSONObject, secret: String = Settings.refreshSecret) throws -> String {
        let ours = try KeyRing(secret: Array(Settings.refreshSecret.utf8)).current
        let key = try SigningKey(hmacSecret: Array(secret.utf8), keyID: ours.keyID)
        return TokenSigner(key: key, type: "rt+jwt").token(for: claims.bytes)
    }
}
