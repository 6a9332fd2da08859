package import JSON
import OpenSSL

/// A key id that is computed from the key itself (RFC 7638).
package enum JWKThumbprint {
    /// The base64url SHA-256 hash of the required members of the key, in lexicographic order.
    package static func compute(of jwk: JSONObject) throws(JOSEError) -> String {
        var canonical = JSONObject()
        for name in try requiredMembers(of: jwk) {
            guard let value = jwk[name]?.string else { throw .unusableKey("member \(name) is missing") }
            canonical[name] = .string(value)
        }
        return Base64URL.encode(SHA256.hash(canonical.bytes))
    }

    /// RFC 7638, section 3.2, and RFC 8037, section 2; each list is in lexicographic order.
    private static func requiredMembers(of jwk: JSONObject) throws(JOSEError) -> [String] {
        switch jwk["kty"]?.string {
        case "EC": ["crv", "kty", "x", "y"]
        case "OKP": ["crv", "kty", "x"]
        case "RSA": ["e", "kty", "n"]
        case "oct": ["k", "kty"]
        default: throw .unusableKey("its kty has no thumbprint")
        }
    }
}
