package import Gatehouse
import JOSE
import OpenSSL

/// Hashes of identities, keyed with random bytes that are kept sealed in the database.
///
/// A key stays the same while the secrets that seal it are rotated, so that an identity is recognised for as long as the
/// database lives. Neither the database nor a secret alone tells whose hash it is.
///
/// The document that keeps them has a line for each key. There is one, unless the server has been started with secrets that
/// did not open it: then there is a second one, and the first is used again as soon as its secret is back.
package struct IdentityHashes: IdentityHasher {
    private static let keyByteCount = 32
    /// Whose the sealed keys are, in the place of a user.
    private static let owner = UserID("identity hashes")

    private let keys: [[UInt8]]
    private let authenticators: [HMACSHA256Key]
    /// How many keys of the document no secret opens.
    package let unopenedCount: Int

    /// One new key.
    package init() {
        self.init(keys: [SecureRandom.bytes(Self.keyByteCount)], unopenedCount: 0)
    }

    /// The keys of a document that these secrets open, and a new one where they open none.
    package init(document: [UInt8], openedBy ring: KeyRing) {
        let lines = Self.lines(of: document)
        let opened = lines.compactMap { Self.open($0, by: ring.all) }
        let keys = opened.isEmpty ? [SecureRandom.bytes(Self.keyByteCount)] : opened
        self.init(keys: keys, unopenedCount: lines.count - opened.count)
    }

    private init(keys: [[UInt8]], unopenedCount: Int) {
        self.keys = keys
        self.unopenedCount = unopenedCount
        authenticators = keys.map(HMACSHA256Key.init)
    }

    package func hashes(of name: String, by provider: Provider) -> [[UInt8]] {
        authenticators.map { $0.authenticate(Array("\(provider.rawValue) \(name)".utf8)) }
    }

    /// The document in which every key is sealed by the ring's current secret, so that the others may be retired. Keys in it
    /// that cannot be opened stay as they are. Nil where it need not change.
    package func document(replacing old: [UInt8], sealedBy ring: KeyRing) -> [UInt8]? {
        let lines = Self.lines(of: old)
        let kept = lines.map { line in (line: line, key: Self.open(line, by: ring.all)) }
        let missing = keys.filter { key in !kept.contains { $0.key == key } }
        let isCurrent = kept.allSatisfy { $0.key == nil || Self.open($0.line, by: [ring.current]) != nil }
        guard !missing.isEmpty || !isCurrent else { return nil }
        let next = kept.map { entry in entry.key.map { Self.seal($0, by: ring.current) } ?? entry.line }
        return Array((next + missing.map { Self.seal($0, by: ring.current) }).joined(separator: "\n").utf8)
    }

    /// A document in which the ring's current secret seals every key that the ring opens; nil where it need not change.
    ///
    /// - Parameter discardingUnopened: whether keys go that no secret of the ring opens.
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
            preconditionFailure("a secret signs, and its signature is as long as a data key")
        }
        return DataVault(key: key)
    }
}
