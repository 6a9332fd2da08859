import Foundation
import JSON
import POSIX
import Synchronization
import TestSupport

@testable import FakeApple

/// A fake Apple in this process, which counts who asks for its keys and can be told to misbehave.
final class FakeAppleStand: Sendable {
    let mint: Mint
    let port: UInt16
    private let key: AppleKey
    private let state = Mutex(State())

    private struct State {
        var fetches = 0
        var misbehaviour: HTTPReply?
    }

    static let bundleID = "com.example.app"

    init(in folder: TemporaryFolder) throws {
        key = try AppleKey(in: folder.file("apple"))
        mint = Mint(key: key.signing)
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        let relay = Relay()
        let server = HTTPServer(listener) { relay.answer($0) }
        relay.serve(for: self)
        _ = try POSIX.Thread.spawn(name: "fake-apple") { try? server.run() }
    }

    /// The server's thread outlives the stand, so it must not own it.
    private final class Relay: Sendable {
        private struct Holder { weak var stand: FakeAppleStand? }
        private let holder = Mutex(Holder())

        func serve(for stand: FakeAppleStand) { holder.withLock { $0.stand = stand } }

        func answer(_ request: HTTPRequest) -> HTTPReply {
            holder.withLock { $0.stand }?.answer(request) ?? .refusal("503 Service Unavailable", "gone")
        }
    }

    var keysURL: String { "http://127.0.0.1:\(port)/auth/keys" }

    var fetches: Int { state.withLock { $0.fetches } }

    /// What the key server answers from now on; nil makes it behave.
    func misbehave(_ reply: HTTPReply?) { state.withLock { $0.misbehaviour = reply } }

    private func answer(_ request: HTTPRequest) -> HTTPReply {
        let wrong = state.withLock { state in
            state.fetches += 1
            return state.misbehaviour
        }
        return wrong ?? .ok(KeySetDocument.bytes(of: key.signing))
    }

    /// The body of a login, as an app would post it.
    func login(_ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }) -> JSONObject {
        var order = MintOrder(audience: Self.bundleID)
        order.subject = subject
        adjust(&order)
        return mint.login(order, now: Int64(Date().timeIntervalSince1970))
    }
}
