package import Gatehouse
import JOSE
import OpenSSL

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
