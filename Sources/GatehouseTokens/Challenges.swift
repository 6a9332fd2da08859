import Gatehouse
import JOSE
import OpenSSL

/// Nonces for logins with Apple that need no record: each carries its end, and a mark that only we can make.
///
/// 8 bytes of time, 16 of chance, 16 of HMAC-SHA-256; 54 characters, so that it is never as long as the SHA-256 in
/// hexadecimal that an app gives to Apple in its place.
package struct Challenges: Sendable {
    private static let (timeByteCount, randomByteCount, markByteCount) = (8, 16, 16)

    /// What is marked begins with this, and so is neither a JWS, which has no space in it, nor the constant whose hash
    /// names a secret.
    private static let domain = Array("gatehouse challenge ".utf8)

    private let keys: [SigningKey]

    /// - Parameter ring: of secrets alone; those of the refresh tokens serve, since what is signed is never the same.
    package init(ring: KeyRing) {
        precondition(ring.all.allSatisfy { $0.algorithm == .HS256 }, "challenges are marked with a secret")
        keys = ring.all
    }

    func write(expiresAt: Timestamp) -> Challenge {
        let time = (0..<Self.timeByteCount).reversed().map {
            UInt8(truncatingIfNeeded: expiresAt.milliseconds >> ($0 * 8))
        }
        let content = time + SecureRandom.bytes(Self.randomByteCount)
        return Challenge(nonce: Base64URL.encode(content + Self.mark(content, by: keys[0])), expiresAt: expiresAt)
    }

    func read(_ nonce: String) -> Challenge? {
        guard let bytes = Base64URL.decode(nonce),
            bytes.count == Self.timeByteCount + Self.randomByteCount + Self.markByteCount
        else { return nil }
        let content = Array(bytes.dropLast(Self.markByteCount))
        let mark = Array(bytes.suffix(Self.markByteCount))
        guard keys.contains(where: { constantTimeEquals(Self.mark(content, by: $0), mark) }) else { return nil }
        let time = content.prefix(Self.timeByteCount).reduce(0) { $0 << 8 | Int64($1) }
        return Challenge(nonce: nonce, expiresAt: Timestamp(milliseconds: time))
    }

    private static func mark(_ content: [UInt8], by key: SigningKey) -> [UInt8] {
        guard let mark = try? key.sign(domain + content) else { preconditionFailure("a secret signs") }
        return Array(mark.prefix(markByteCount))
    }
}
