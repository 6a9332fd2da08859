package import Gatehouse
import JOSE
import OpenSSL

/// Computes keyed hashes of identities. The hash keys are random, and are stored in the database, encrypted (sealed)
/// with a refresh secret.
///
/// A hash key stays the same when the secrets are rotated, so an identity is recognised as long as the database exists.
/// Neither the database alone nor a secret alone shows whose hash it is.
///
/// The stored document has one line for each hash key. There is one, unless an operator has declared the secret that
/// sealed it lost: then there is a second one, and the first is used again when its secret is configured again.
///
/// Refresh tokens are signed with the same secrets, so the document also tells whether the configured ones belong to the
/// database.
package struct IdentityHashes: IdentityHasher {
    private static let keyByteCount = 32
    /// Takes the place of a user's id in the vault.
    private static let owner = UserID("identity hashes")

    private let keys: [[UInt8]]
    private let authenticators: [HMACSHA256Key]
    /// The number of stored hash keys that no configured secret opens.
    package let unopenedCount: Int
    /// False if there are stored hash keys, and no configured secret opens any of them.
    package let fits: Bool

    /// With one new hash key.
    package init() {
        self.init(keys: [SecureRandom.bytes(Self.keyByteCount)], unopenedCount: 0, fits: true)
    }

    /// With the hash keys of a document that these secrets open, or a new hash key if they open none.
    package init(document: [UInt8], openedBy ring: KeyRing) {
        let lines = Self.lines(of: document)
        let opened = lines.compactMap { Self.open($0, by: ring.all) }
        let keys = opened.isEmpty ? [SecureRandom.bytes(Self.keyByteCount)] : opened
        self.init(
            keys: keys, unopenedCount: lines.count - opened.count, fits: lines.isEmpty || !opened.isEmpty)
    }

    private init(keys: [[UInt8]], unopenedCount: Int, fits: Bool) {
        (self.keys, self.unopenedCount, self.fits) = (keys, unopenedCount, fits)
        authenticators = keys.map(HMACSHA256Key.init)
    }

    package func hashes(of name: String, by provider: Provider) -> [[UInt8]] {
        authenticators.map { $0.authenticate(Array("\(provider.rawValue) \(name)".utf8)) }
    }

    /// The document to store in place of the old one: every hash key sealed with the ring's current secret, so that
    /// previous secrets can be retired. Lines that no secret opens stay as they are. Nil if nothing has to change.
    package func document(replacing old: [UInt8], sealedBy ring: KeyRing) -> [UInt8]? {
        let lines = Self.lines(of: old)
        let kept = lines.map { line in (line: line, key: Self.open(line, by: ring.all)) }
        let missing = keys.filter { key in !kept.contains { $0.key == key } }
        let isCurrent = kept.allSatisfy { $0.key == nil || Self.open($0.line, by: [ring.current]) != nil }
        guard !missing.isEmpty || !isCurrent else { return nil }
        let next = kept.map { entry in entry.key.map { Self.seal($0, by: ring.current) } ?? entry.line }
        return Array((next + missing.map { Self.seal($0, by: ring.current) }).joined(separator: "\n").utf8)
    }

    /// The document with every hash key that the ring opens sealed with its current secret; nil
    /// if nothing has to change.
    ///
    /// - Parameter discardingUnopened: whether to remove the lines that no secret of the ring opens.
    package static func resealed(
        _ document: [UInt8], by ring: KeyRing, discardingUnopened: Bool
    ) -> (document: [UInt8]?, unopenedCount: Int) {
        var (next, unopenedCount): ([String], Int) = ([], 0)
        let lines = lines(of: document)
        for line in lines {
            guard let key = open(line, by: ring.all) else {
                unopenedCount += 1
                if !discardingUnopened { next.append(line) }
                continue
            }
            next.append(open(line, by: [ring.current]) == nil ? seal(key, by: ring.current) : line)
        }
        return (next == lines ? nil : Array(next.joined(separator: "\n").utf8), unopenedCount)
    }

    /// The document with a further hash key, which the ring opens, if it opens none of the others; otherwise nil.
    package static func accepting(_ ring: KeyRing, in document: [UInt8]) -> [UInt8]? {
        let hashes = IdentityHashes(document: document, openedBy: ring)
        return hashes.fits ? nil : hashes.document(replacing: document, sealedBy: ring)
    }

    private static func lines(of document: [UInt8]) -> [String] {
        String(decoding: document, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func seal(_ key: [UInt8], by secret: SigningKey) -> String {
        Base64URL.encode(vault(of: secret).seal(Base64URL.encode(key), for: owner))
    }

    private static func open(_ line: String, by secrets: [SigningKey]) -> [UInt8]? {
        guard let sealed = Base64URL.decode(line) else { return nil }
        for secret in secrets {
            let text = vault(of: secret).open(sealed, for: owner)
            if let key = text.flatMap({ Base64URL.decode($0) }), key.count == keyByteCount { return key }
        }
        return nil
    }

    private static func vault(of secret: SigningKey) -> DataVault {
        guard let bytes = try? secret.sign(Array("gatehouse identity hashes".utf8)), let key = try? DataKey(bytes)
        else {
            preconditionFailure("HMAC-SHA-256 cannot fail, and its 32 bytes are a data key")
        }
        return DataVault(key: key)
    }
}
