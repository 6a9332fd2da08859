import FakeApple
import Foundation
import JOSE
import JSON
import Synchronization

/// A fake Apple in this process: signs with its keys in turn, turns them over, counts who asks for them, and can be told
/// to misbehave.
final class FakeAppleStand: Sendable {
    static let bundleID = "com.example.app"

    private let server: KeyServer
    private let state: Mutex<State>

    private struct State {
        var keys: [SigningKey]
        var logins = 0
    }

    init() throws {
        let keys = try Self.newKeys(1)
        server = try KeyServer(publishing: Self.document(of: keys))
        state = Mutex(State(keys: keys))
    }

    deinit { server.stop() }

    var keysURL: String { "http://127.0.0.1:\(server.port)/auth/keys" }

    /// How often somebody has asked for the keys.
    var fetches: Int { server.visits }

    /// What it signs with and publishes.
    var keys: [SigningKey] { state.withLock { $0.keys } }

    /// How the key server answers from now on.
    func misbehave(_ manner: KeyServerManner) { server.behave(manner) }

    func behave() { server.behave(.behaving) }

    /// Publishes and uses new keys, and none of those before them.
    func turnOver(to count: Int = 1) throws {
        let keys = try Self.newKeys(count)
        server.publish(Self.document(of: keys))
        state.withLock { $0.keys = keys }
    }

    /// The body of a login, as an app would post it.
    ///
    /// - Parameter key: in place of the one whose turn it is.
    func login(
        _ subject: String, signedBy key: SigningKey? = nil, _ adjust: (inout MintOrder) -> Void = { _ in }
    ) -> JSONObject {
        var order = MintOrder(audience: Self.bundleID)
        order.subject = subject
        adjust(&order)
        return Mint(key: key ?? nextKey()).login(order, now: Int64(Date().timeIntervalSince1970))
    }

    /// The body of a login whose token names a key that Apple never had.
    func forgedLogin(_ keyID: String = "NOBODY") -> JSONObject {
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

    /// Apple's key ids are ten characters.
    private static func newKeys(_ count: Int) throws -> [SigningKey] {
        try (0..<count).map { _ in
            try SigningKey.generate(.RS256, keyID: String(UUID().uuidString.filter(\.isHexDigit).prefix(10)))
        }
    }
}
