package import JOSE
import OpenSSL
import POSIX
import Synchronization

/// The keys that stand in for Apple's: the first one signs, all of them are published. Kept in a folder, so that a server
/// and a command mint with the same ones, and a server that is started again with those it had.
package final class PublishedKeys: Sendable {
    /// As many as Apple usually has.
    private static let mostPublished = 3

    private let path: String
    private let keys: Mutex<[SigningKey]>

    /// Reads the keys of a folder, and makes some where there are none.
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

    var document: [UInt8] { KeySetDocument.bytes(of: keys.withLock { $0 }) }

    /// Lets a new key sign. Those before it stay published, as far as there is room.
    package func rotate() throws {
        let key = try Self.newKey()
        try replace { Array(([key] + $0).prefix(Self.mostPublished)) }
    }

    /// Lets new keys sign and be published, and no old one.
    package func turnOver() throws {
        let fresh = [try Self.newKey(), try Self.newKey()]
        try replace { _ in fresh }
    }

    /// The file is written under the lock, so that it ends up with what the last of several callers said.
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

    /// One PEM block after the other.
    private static func write(_ keys: [SigningKey], to path: String) throws {
        try File.replace(path, with: Array(keys.compactMap(\.pem).joined().utf8))
    }

    private static func keys(in text: String) throws -> [SigningKey] {
        var blocks: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("-----BEGIN") { blocks.append("") }
            if !blocks.isEmpty { blocks[blocks.count - 1] += line + "\n" }
        }
        // A file with nothing in it is as unreadable as one with something else.
        return try (blocks.isEmpty ? [text] : blocks).map { block in
            guard case .rsa(let key) = try PrivateKeyPEM(block) else { throw JOSEError.unusableKey("not one of RSA") }
            return try named(key)
        }
    }

    /// Apple's key ids are ten characters, or were once named like this one.
    private static func named(_ key: RSAPrivateKey) throws -> SigningKey {
        try SigningKey(key, keyID: String(try SigningKey(key).thumbprint.prefix(10)))
    }
}
