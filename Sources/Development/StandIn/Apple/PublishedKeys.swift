import FileSystem
package import JOSE
import JSON
import OpenSSL
import Synchronization

/// The keys of the fake: the first one signs, all are published. They are kept in a folder, so that the server and the
/// commands use the same keys, also after a restart.
package final class PublishedKeys: Sendable {
    /// Apple usually publishes three keys.
    private static let maximumCount = 3

    private let path: String
    private let keys: Mutex<[SigningKey]>
    private let impostor = Mutex<RSAPrivateKey?>(nil)

    /// Reads the keys from a folder, or creates them.
    package init(in directory: String) throws {
        path = directory + "/apple-key.pem"
        try File.makeDirectory(directory)
        if File.exists(path) {
            keys = Mutex(try Self.keys(in: String(decoding: try File.read(path), as: UTF8.self)))
        } else {
            let fresh = [try Self.newKey(), try Self.newKey()]
            try Self.write(fresh, to: path)
            keys = Mutex(fresh)
        }
    }

    package var signing: SigningKey { keys.withLock { $0[0] } }

    /// The key for a token: for a forged one another key with the same key id, which is not published.
    func signing(_ changes: TokenChanges) throws -> SigningKey {
        let genuine = signing
        guard changes.isForged else { return genuine }
        return try impostor.withLock { impostor in
            let key = try impostor ?? RSAPrivateKey.generate()
            impostor = key
            return try SigningKey(key, keyID: genuine.keyID)
        }
    }

    var document: [UInt8] { Self.document(of: keys.withLock { $0 }) }

    private static func document(of keys: [SigningKey]) -> [UInt8] {
        let set: JSONObject = ["keys": .array(keys.compactMap { $0.publicJWK.map(JSONValue.object) })]
        return set.bytes
    }

    /// Signs with a new key. The previous keys stay published, up to the limit.
    package func rotate() throws {
        let key = try Self.newKey()
        try replace { Array(([key] + $0).prefix(Self.maximumCount)) }
    }

    /// Replaces all keys, also those that are published.
    package func turnOver() throws {
        let fresh = [try Self.newKey(), try Self.newKey()]
        try replace { _ in fresh }
    }

    /// Writes the file under the lock, so that the last of several callers wins in the file as well.
    private func replace(by change: ([SigningKey]) -> [SigningKey]) throws {
        try keys.withLock { keys in
            let changed = change(keys)
            try Self.write(changed, to: path)
            keys = changed
        }
    }

    private static func newKey() throws -> SigningKey {
        try named(RSAPrivateKey.generate())
    }

    /// Concatenates the PEM blocks.
    private static func write(_ keys: [SigningKey], to path: String) throws {
        try File.replace(path, with: Array(keys.compactMap(\.pem).joined().utf8))
    }

    private static func keys(in text: String) throws -> [SigningKey] {
        var blocks: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("-----BEGIN") { blocks.append("") }
            if !blocks.isEmpty { blocks[blocks.count - 1] += line + "\n" }
        }
        // An empty file must fail, too.
        return try (blocks.isEmpty ? [text] : blocks).map { block in
            guard case .rsa(let key) = try PrivateKeyPEM(block) else { throw JOSEError.unusableKey("not an RSA key") }
            return try named(key)
        }
    }

    /// Apple's key ids have ten characters.
    private static func named(_ key: RSAPrivateKey) throws -> SigningKey {
        try SigningKey(key, keyID: String(try SigningKey(key).thumbprint.prefix(10)))
    }
}
