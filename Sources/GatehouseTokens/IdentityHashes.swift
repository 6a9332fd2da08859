package import Gatehouse
import JOSE
import OpenSSL

/// Hashes of identities, keyed with random bytes that are kept sealed in the database.
///
/// The key stays the same while the secrets that seal it are rotated, so that an identity is recognised for as long as the
/// database lives. Neither the database nor a secret alone tells whose hash it is.
package struct IdentityHashes: IdentityHasher, Equatable {
    private static let keyByteCount = 32
    /// Whose the sealed key is, in the place of a user.
    private static let owner = UserID("identity hashes")

    private let bytes: [UInt8]
    private let key: HMACSHA256Key

    /// A new key.
    package init() {
        self.init(SecureRandom.bytes(Self.keyByteCount))
    }

    /// The key that was sealed by one of these secrets; nil where none of them opens it.
    package init?(sealed: [UInt8], by ring: KeyRing) {
        for secret in ring.all {
            guard let text = Self.vault(of: secret).open(sealed, for: Self.owner),
                let bytes = Base64URL.decode(text), bytes.count == Self.keyByteCount
            else { continue }
            self.init(bytes)
            return
        }
        return nil
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        key = HMACSHA256Key(bytes)
    }

    package static func == (a: IdentityHashes, b: IdentityHashes) -> Bool { constantTimeEquals(a.bytes, b.bytes) }

    package func hash(_ name: String, of provider: Provider) -> [UInt8] {
        key.authenticate(Array("\(provider.rawValue) \(name)".utf8))
    }

    /// Whether the ring's current secret opens it, so that the others may be retired.
    package static func isCurrent(_ sealed: [UInt8], in ring: KeyRing) -> Bool {
        vault(of: ring.current).open(sealed, for: owner) != nil
    }

    package func sealed(by ring: KeyRing) -> [UInt8] {
        Self.vault(of: ring.current).seal(Base64URL.encode(bytes), for: Self.owner)
    }

    private static func vault(of secret: SigningKey) -> DataVault {
        guard let bytes = try? secret.sign(Array("gatehouse identity hashes".utf8)), let key = try? DataKey(bytes)
        else {
            preconditionFailure("a secret signs, and its signature is as long as a data key")
        }
        return DataVault(key: key)
    }
}
