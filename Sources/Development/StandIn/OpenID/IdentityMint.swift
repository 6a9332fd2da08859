import JOSE
import JSON
import OpenSSL

/// Signs the identity tokens of a provider.
struct IdentityMint {
    static let lifetime: Int64 = 3600

    let key: SigningKey
    let issuer: String

    func token(_ order: IdentityOrder, now: Int64) throws -> String {
        var claims: JSONObject = [
            "iss": .string(order.issuer ?? issuer), "aud": order.audience ?? .string(IdentityOrder.usualAudience),
            "sub": .string(order.subject ?? RandomText.hexadecimal(12)),
        ]
        claims["azp"] = order.authorizedParty.map(JSONValue.string)
        claims["hd"] = order.hostedDomain.map(JSONValue.string)
        claims["email"] = order.email.map(JSONValue.string)
        claims["email_verified"] = order.emailVerified ?? (order.email == nil ? .none : true)
        claims["at_hash"] = order.accessToken.map { .string(Self.halfHash(of: $0)) }
        claims["nonce"] = order.nonce.map(JSONValue.string)
        claims["name"] = order.name.map(JSONValue.string)
        claims["iat"] = .integer(now)
        claims["exp"] = .integer(now + Self.lifetime)
        return try ForgeableToken.sign(
            claims.replacing(order.claims), header: ["typ": "JWT"], changes: order.header, with: key)
    }

    /// The left half of the hash of an access token: OpenID Connect Core 1.0, section 3.1.3.6.
    private static func halfHash(of text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(SHA256.byteCount / 2)))
    }
}

/// A signed token, whose header may say anything.
enum ForgeableToken {
    /// Always signs with the key, even if the header names another algorithm, so that tests can forge tokens.
    static func sign(
        _ claims: JSONObject, header: JSONObject, changes: JSONObject, with key: SigningKey
    ) throws -> String {
        var usual: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        usual["kid"] = key.keyID.map(JSONValue.string)
        let header = usual.replacing(header).replacing(changes)
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }
}
