import FileSystem
import JOSE
import OpenSSL
import Synchronization

/// The keys of a provider: the first one of an algorithm signs, all are published. They are generated when they are first
/// needed, and kept in a file, so that they are the same after a restart.
final class ProviderKeys: Sendable {
    /// How many keys of one algorithm are published.
    private static let maximumCount = 3

    private let name: String
    private let path: String?
    private let initial: [Algorithm]
    private let state = Mutex(State())

    /// The first keys of providers without a file, by the provider's name: a process of tests has many, and an RSA key takes a
    /// quarter of a second.
    private static let firstKeys = Mutex<[String: [SigningKey]]>([:])

    private struct State {
        /// Empty before the first use.
        var keys: [SigningKey] = []
        var impostors: [Algorithm: SigningKey] = [:]
    }

    /// - Parameters:
    ///   - name: the provider.
    ///   - path: the file; nil for none.
    ///   - initial: the algorithms of the first keys.
    init(of name: String, path: String?, initial: [Algorithm]) {
        self.name = name
        self.path = path
        self.initial = initial
    }

    var all: [SigningKey] {
        get throws { try state.withLock { try loaded(&$0) } }
    }

    /// Each once, in the order of the keys.
    var algorithms: [Algorithm] {
        get throws { Self.algorithms(of: try all) }
    }

    private static func algorithms(of keys: [SigningKey]) -> [Algorithm] {
        keys.map(\.algorithm).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The key that signs with an algorithm. It is created and published when an algorithm is first asked for.
    func signing(_ algorithm: Algorithm) throws -> SigningKey {
        try state.withLock { state in
            if let key = try loaded(&state).first(where: { $0.algorithm == algorithm }) { return key }
            let key = try Self.newKey(algorithm)
            try replace(&state, by: state.keys + [key])
            return key
        }
    }

    /// A key with the key id of the signing key, which is not published: an attacker's.
    func impostor(for algorithm: Algorithm) throws -> SigningKey {
        let genuine = try signing(algorithm)
        return try state.withLock { state in
            let stored = try state.impostors[algorithm] ?? Self.newKey(algorithm)
            state.impostors[algorithm] = stored
            return try stored.named(genuine.keyID)
        }
    }

    /// Signs with new keys. The previous keys stay published, up to the limit.
    func rotate() throws {
        try state.withLock { state in
            let old = try loaded(&state)
            let fresh = try Self.algorithms(of: old).map(Self.newKey)
            var kept: [SigningKey] = []
            for key in fresh + old where kept.count(where: { $0.algorithm == key.algorithm }) < Self.maximumCount {
                kept.append(key)
            }
            try replace(&state, by: kept)
        }
    }

    /// Replaces all keys, also those that are published.
    func turnOver() throws {
        try state.withLock { state in
            try replace(&state, by: try loaded(&state).map { try Self.newKey($0.algorithm) })
        }
    }

    private func loaded(_ state: inout State) throws -> [SigningKey] {
        guard state.keys.isEmpty else { return state.keys }
        if let path, File.exists(path) {
            state.keys = try Self.keys(in: String(decoding: try File.read(path), as: UTF8.self))
        } else if path != nil {
            try replace(&state, by: try initial.map(Self.newKey))
        } else {
            state.keys = try Self.firstKeys.withLock { keys in
                let first = try keys[name] ?? initial.map(Self.newKey)
                keys[name] = first
                return first
            }
        }
        return state.keys
    }

    /// Writes the file under the lock, so that the last of several callers wins in the file as well.
    private func replace(_ state: inout State, by keys: [SigningKey]) throws {
        if let path {
            try File.makeDirectory(File.folder(of: path))
            try File.replace(path, with: Array(keys.compactMap(\.pem).joined().utf8))
        }
        state.keys = keys
    }

    private static func newKey(_ algorithm: Algorithm) throws -> SigningKey {
        try SigningKey.generate(algorithm).namedByThumbprint()
    }

    private static func keys(in text: String) throws -> [SigningKey] {
        var blocks: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("-----BEGIN") { blocks.append("") }
            if !blocks.isEmpty { blocks[blocks.count - 1] += line + "\n" }
        }
        // An empty file must fail, too.
        return try (blocks.isEmpty ? [text] : blocks).map { try SigningKey(pem: $0).namedByThumbprint() }
    }
}

extension SigningKey {
    /// The key with another key id.
    fileprivate func named(_ keyID: String?) throws -> SigningKey {
        try SigningKey(pem: pem ?? "", keyID: keyID)
    }

    /// Google's key ids are 40 hexadecimal digits.
    fileprivate func namedByThumbprint() throws -> SigningKey {
        try named(RandomText.hexadecimal(SHA256.hash(Array(thumbprint.utf8)).prefix(20)))
    }
}
