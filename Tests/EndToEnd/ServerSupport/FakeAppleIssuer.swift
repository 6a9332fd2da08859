import Foundation
import JOSE
import JSON
import StandIn
import Synchronization

/// Issues identity tokens as Apple does and publishes the keys on a `KeySetServer`. It signs with
/// each of its keys in turn.
final class FakeAppleIssuer: Sendable {
    static let bundleID = "com.example.app"

    private let server: KeySetServer
    private let state: Mutex<State>

    private struct State {
        var keys: [SigningKey]
        /// The number of keys it has had so far.
        var keyCount: Int
        var logins = 0
    }

    init() throws {
        let keys = try Self.newKeys(1, after: 0)
        server = try KeySetServer(publishing: Self.document(of: keys))
        state = Mutex(State(keys: keys, keyCount: 1))
    }

    deinit { server.stop() }

    var keysURL: String { "http://127.0.0.1:\(server.port)/auth/keys" }

    /// The number of requests for the key set.
    var fetches: Int { server.requestCount }

    /// The keys that sign and are published.
    var keys: [SigningKey] { state.withLock { $0.keys } }

    /// Sets how the key server answers from now on.
    func setKeyServerMode(_ mode: KeySetServerMode) { server.setMode(mode) }

    func resetKeyServer() { server.setMode(.normal) }

    /// Replaces all keys with new ones.
    func rotateKeys(to count: Int = 1) throws {
        let keys = try Self.newKeys(count, after: state.withLock { $0.keyCount })
        server.publish(Self.document(of: keys))
        state.withLock {
            $0.keys = keys
            $0.keyCount += count
        }
    }

    /// The request body of a login as an app sends it.
    ///
    /// - Parameter key: signs instead of the next key.
    func login(
        _ subject: String, signedBy key: SigningKey? = nil, _ adjust: (inout MintOrder) -> Void = { _ in }
    ) -> JSONObject {
        var order = MintOrder(audience: Self.bundleID)
        order.subject = subject
        adjust(&order)
        return Mint(key: key ?? nextKey()).login(order, now: Int64(Date().timeIntervalSince1970))
    }

    /// The request body of a login whose token names an unknown key.
    func forgedLogin(_ keyID: String = "UNKNOWN") -> JSONObject {
        login("001.forged") { $0.header = ["kid": .string(keyID)] }
    }

    static func document(of keys: [SigningKey]) -> [UInt8] { document(of: keys.compactMap(\.publicJWK)) }

    static func document(of keys: [JSONObject]) -> [UInt8] {
        let set: JSONObject = ["keys": .array(keys.map(JSONValue.object))]
        return set.bytes
    }

    private func nextKey() -> SigningKey {
        state.withLock { state in
            state.logins += 1
            return state.keys[state.logins % state.keys.count]
        }
    }

    /// Apple's key ids have ten characters.
    private static func newKeys(_ count: Int, after former: Int) throws -> [SigningKey] {
        try (former..<former + count).map { index in
            try SigningKey(
                SharedRSAKeys.key(at: index), keyID: String(UUID().uuidString.filter(\.isHexDigit).prefix(10)))
        }
    }
}
