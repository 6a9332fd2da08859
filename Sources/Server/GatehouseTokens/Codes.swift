import Gatehouse
import JOSE
import OpenSSL

/// Codes for phone numbers and mail addresses.
///
/// The key of codes is derived from a refresh secret, and used for nothing else. A code is computed from the key, a random
/// seed, which is in the database, and the id, which only the asking device has: so the same code can be sent again, although
/// neither the database nor the secret alone gives it.
extension JWTTokenService {
    package func code(seed: [UInt8], id: String) -> (text: String, hash: [UInt8]) {
        let text = Self.code(seed: seed, id: id, key: codeKeys[0])
        return (text, hash(ofCode: text, id: id))
    }

    package func code(seed: [UInt8], id: String, hashedAs hash: [UInt8]) -> String? {
        codeKeys.lazy.map { Self.code(seed: seed, id: id, key: $0) }.first { isCode($0, id: id, hashedAs: hash) }
    }

    package func hash(ofCode text: String, id: String) -> [UInt8] { Self.hash(ofCode: text, id: id, key: codeKeys[0]) }

    package func isCode(_ text: String, id: String, hashedAs hash: [UInt8]) -> Bool {
        codeKeys.contains { constantTimeEquals(Self.hash(ofCode: text, id: id, key: $0), hash) }
    }

    /// Domain separation: nothing else that is signed with a refresh secret is this text.
    static func codeKey(of secret: SigningKey) -> HMACSHA256Key {
        guard let bytes = try? secret.sign(Array("gatehouse codes".utf8)) else {
            preconditionFailure("HMAC cannot fail")
        }
        return HMACSHA256Key(bytes)
    }

    /// Six digits of the first eight bytes: of two codes, one is more frequent than the other by less than 1 in 10^12.
    private static func code(seed: [UInt8], id: String, key: HMACSHA256Key) -> String {
        let bytes = key.authenticate(Array("code ".utf8) + seed + Array(id.utf8))
        let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func hash(ofCode text: String, id: String, key: HMACSHA256Key) -> [UInt8] {
        key.authenticate(Array("hash \(text) \(id)".utf8))
    }
}
