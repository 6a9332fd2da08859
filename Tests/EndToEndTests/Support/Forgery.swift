import GatehouseTokens
import JOSE
import JSON

/// What somebody makes who has a secret of ours and nothing else.
enum Forgery {
    /// A refresh token with the claims of another, of whatever generation, but with dice of its own.
    static func refreshToken(like payload: String, generation: Int64) throws -> String {
        var claims = try JSONValue(parsing: Base64URL.decode(payload) ?? []).object ?? [:]
        claims["gen"] = .integer(generation)
        claims["jti"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 16)))
        let key = try KeyRing(secret: Array(Settings.refreshSecret.utf8)).current
        return TokenSigner(key: key, type: "rt+jwt").token(for: claims.bytes)
    }
}
