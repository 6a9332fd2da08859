package import Gatehouse
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

/// Challenges: nonces for logins by an identity token that need no row in the database. Each contains its expiry and a MAC.
extension JWTTokenService {
    /// Domain separation: nothing else that is signed with the same secret begins with this text. A JWS contains no
    /// space, and the constants for key ids, identity hashes and nonces of proofs begin with other words.
    private static let challengePrefix = Array("gatehouse challenge ".utf8)

    package func challenge(expiresAt: Timestamp) -> Challenge {
        Challenge(nonce: nonce(expiresAt: expiresAt, Self.challengePrefix), expiresAt: expiresAt)
    }

    package func readChallenge(_ nonce: String) -> Challenge? { Self.challenge(nonce, by: challengeKeys) }

    /// Parses a nonce as a challenge; nil unless one of these keys has authenticated it.
    package static func challenge(_ nonce: String, by keys: KeyRing) -> Challenge? { challenge(nonce, by: keys.all) }

    private static func challenge(_ nonce: String, by keys: [SigningKey]) -> Challenge? {
        expiry(of: nonce, by: keys, challengePrefix).map { Challenge(nonce: nonce, expiresAt: $0) }
    }
}

/// 8 bytes of expiry in milliseconds, 16 random bytes, and the first 16 bytes of an HMAC-SHA-256 over both. The 54
/// characters cannot be confused with the hexadecimal SHA-256 of a nonce, which has 64.
extension JWTTokenService {
    private static let (timeByteCount, randomByteCount, macByteCount) = (8, 16, 16)

    /// - Parameter prefix: tells what the nonce is for.
    func nonce(expiresAt: Timestamp, _ prefix: [UInt8]) -> String {
        let time = (0..<Self.timeByteCount).reversed().map {
            UInt8(truncatingIfNeeded: expiresAt.milliseconds >> ($0 * 8))
        }
        let content = time + SecureRandom.bytes(Self.randomByteCount)
        return Base64URL.encode(content + Self.mac(of: prefix + content, with: challengeKeys[0]))
    }

    /// When a nonce of this prefix expires; nil unless one of these keys has authenticated it.
    static func expiry(of nonce: String, by keys: [SigningKey], _ prefix: [UInt8]) -> Timestamp? {
        guard let bytes = Base64URL.decode(nonce),
            bytes.count == timeByteCount + randomByteCount + macByteCount
        else { return nil }
        let content = Array(bytes.dropLast(macByteCount))
        let mac = Array(bytes.suffix(macByteCount))
        guard keys.contains(where: { constantTimeEquals(Self.mac(of: prefix + content, with: $0), mac) }) else {
            return nil
        }
        return Timestamp(milliseconds: content.prefix(timeByteCount).reduce(0) { $0 << 8 | Int64($1) })
    }

    private static func mac(of content: [UInt8], with key: SigningKey) -> [UInt8] {
        guard let mac = try? key.sign(content) else { preconditionFailure("HMAC cannot fail") }
        return Array(mac.prefix(macByteCount))
    }
}
