import FileSystem
package import JOSE
import JSON
import OpenSSL
import Synchronization

/// The keys of a party: the first one of an algorithm signs, all are published. They are kept in a file, so that the server and
/// the commands use the same keys, also after a restart.
package final class PublishedKeys: Sendable {
    /// How many keys of one algorithm are published. Apple usually publishes three.
    private static let maximumCount = 3

    private let name: String
    private let path: String?
    private let initial: [Algorithm]
    /// The key id that follows from a key's thumbprint.
    private let keyID: @Sendable (_ thumbprint: String) -> String
    private let state = Mutex(State())

    /// The first keys of parties without a file, by the party's name: a process of tests has many, and an RSA key takes a
    /// quarter of a second.
    private static let firstKeys = Mutex<[String: [SigningKey]]>([:])

    private struct State {
        /// Empty before the first use.
        var keys: [SigningKey] = []
        var impostors: [Algorithm: SigningKey] = [:]
    }

    /// - Parameters:
    ///   - name: the party.
    ///   - path: the file; nil for none. The keys are generated when they are first needed.
    ///   - initial: the algorithms of the first keys.
    init(
        of name: String, path: String?, initial: [Algorithm],
        keyID: @escaping @Sendable (_ thumbprint: String) -> String
    ) {
        (self.name, self.path, self.initial, self.keyID) = (name, path, initial, keyID)
    }

    /// Apple's keys. Reads them from a folder, or creates them there; nil for no folder.
    package convenience init(in folder: String?) throws {
        // Apple's key ids have ten characters.
        self.init(of: "Apple", path: folder.map { $0 + "/apple-key.pem" }, initial: [.RS256, .RS256]) {
            String($0.prefix(10))
        }
        guard folder != nil, try all.contains(where: { $0.algorithm != .RS256 }) else { return }
        throw JOSEError.unusableKey("not an RSA key")
    }

    var all: [SigningKey] {
        get throws { try state.withLock { try loaded(&$0) } }
    }

    var document: JSONObject {
        get throws { ["keys": .array(try all.compactMap { $0.publicJWK.map(JSONValue.object) })] }
    }

    /// Each once, in the order of the keys.
    var algorithms: [Algorithm] {
        get throws { Self.algorithms(of: try all) }
    }

    private static func algorithms(of keys: [SigningKey]) -> [Algorithm] {
        keys.map(\.algorithm).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The key that signs with RS256.
    package var signing: SigningKey {
        do { return try signing(.RS256) } catch { preconditionFailure("there is no key: \(error)") }
    }

    /// The key that signs with an algorithm. It is created and published when an algorithm is first asked for.
    ///
    /// - Parameter isForged: for a key with the same key id, which is not published: an attacker's.
    func signing(_ algorithm: Algorithm, isForged: Bool = false) throws -> SigningKey {
        try state.withLock { state in
            let genuine = try signing(algorithm, &state)
            guard isForged else { return genuine }
            let impostor = try state.impostors[algorithm] ?? newKey(algorithm)
            state.impostors[algorithm] = impostor
            return try impostor.named(genuine.keyID)
        }
    }

    private func signing(_ algorithm: Algorithm, _ state: inout State) throws -> SigningKey {
        if let key = try loaded(&state).first(where: { $0.algorithm == algorithm }) { return key }
        let key = try newKey(algorithm)
        try replace(&state, by: state.keys + [key])
        return key
    }

    /// Signs with new keys. The previous keys stay published, up to the limit.
    package func rotate() throws {
        try state.withLock { state in
            let old = try loaded(&state)
            let fresh = try Self.algorithms(of: old).map(newKey)
            var kept: [SigningKey] = []
            for key in fresh + old where kept.count(where: { $0.algorithm == key.algorithm }) < Self.maximumCount {
                kept.append(key)
            }
            try replace(&state, by: kept)
        }
    }

    /// Replaces all keys, also those that are published.
    package func turnOver() throws {
        try state.withLock { state in
            let others = Self.algorithms(of: try loaded(&state)).filter { !initial.contains($0) }
            try replace(&state, by: try (initial + others).map(newKey))
        }
    }

    private func loaded(_ state: inout State) throws -> [SigningKey] {
        guard state.keys.isEmpty else { return state.keys }
        if let path, File.exists(path) {
            state.keys = try keys(in: String(decoding: try File.read(path), as: UTF8.self))
        } else if path != nil {
            try replace(&state, by: try initial.map(newKey))
        } else {
            state.keys = try Self.firstKeys.withLock { keys in
                let first = try keys[name] ?? initial.map(newKey)
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

    private func newKey(_ algorithm: Algorithm) throws -> SigningKey { try named(SigningKey.generate(algorithm)) }

    private func named(_ key: SigningKey) throws -> SigningKey { try key.named(keyID(key.thumbprint)) }

    private func keys(in text: String) throws -> [SigningKey] {
        var blocks: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("-----BEGIN") { blocks.append("") }
            if !blocks.isEmpty { blocks[blocks.count - 1] += line + "\n" }
        }
        // An empty file must fail, too.
        return try (blocks.isEmpty ? [text] : blocks).map { try named(SigningKey(pem: $0)) }
    }
}

extension SigningKey {
    /// The key with another key id.
    fileprivate func named(_ keyID: String?) throws -> SigningKey { try SigningKey(pem: pem ?? "", keyID: keyID) }
}
