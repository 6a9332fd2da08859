import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Bound sessions of the library at the real server, which demands a proof, also at the guard, and where it says so a
/// nonce.
@Suite("App: sessions bound to the device, at the server")
struct AppClientBoundServerTests {
    private static let strict = Result { try guarded("required", nonce: "off") }
    private static let withNonce = Result { try guarded("required", nonce: "required") }

    private let store = FaultyStore()
    private let keys = TestDeviceKeys()

    private static func guarded(_ guardMode: String, nonce: String) throws -> (ServerBehindNginx, UpstreamServer) {
        let upstream = try UpstreamServer.echoing()
        let server = try ServerBehindNginx(
            locations: """
                location /notes/ {
                    include snippets/gatehouse-guard.conf;
                    proxy_pass http://127.0.0.1:\(upstream.port);
                }
                """
        ) {
            $0["DPOP_GUARD"] = guardMode
            $0["DPOP_NONCE"] = nonce
        }
        return (server, upstream)
    }

    private func app(_ world: Result<(ServerBehindNginx, UpstreamServer), any Error> = Self.strict) throws
        -> AppClientFixture
    { try AppClientFixture(world.get().0) }

    private func client(_ app: AppClientFixture) -> GatehouseClient { app.client(store, binding: .keys(keys)) }

    private func signedIn(_ app: AppClientFixture) async throws -> GatehouseClient {
        let client = client(app)
        try await client.signIn(development: app.login())
        return client
    }

    @Test("A bound session makes every request, is refreshed after a restart, and ends", arguments: [false, true])
    func life(withNonce: Bool) async throws {
        let app = try app(withNonce ? Self.withNonce : Self.strict)
        let client = try await signedIn(app)
        #expect(try await client.sessions().map(\.bound) == [true])
        #expect(try await client.update(ProfileChange(nickname: .set("Ann"))).nickname == "Ann")
        #expect(try await client.send(app.request("GET", "/notes/a%20b")).1.statusCode == 200)
        app.expireToken()
        let restarted = self.client(app)
        guard case .signedIn = try await restarted.restore() else { return #expect(Bool(false), "\(restarted.state)") }
        #expect(try await restarted.user().nickname == "Ann")
        #expect(try await restarted.send(app.request("POST", "/notes/")).1.statusCode == 200)
        _ = try await restarted.export()
        #expect(await restarted.signOut(everywhere: true) == .delivered)
        #expect(keys.names == [] && store.contents == nil)
        // Each of the two clients learns the server's nonce by one refusal, and the second one the server's time: the app's
        // clocks have been moved.
        let refused = app.transport.sent().filter { $0.status == 401 }
        #expect(refused.count <= (withNonce ? 3 : 1), "\(refused)")
    }

    @Test("An account is deleted, and lost answers and two processes at once change nothing for a bound session")
    func losses() async throws {
        let app = try app()
        let (first, second) = (try await signedIn(app), client(app))
        try await second.restore()
        for _ in 0..<3 {
            app.expireToken()
            app.transport.plan("auth/refresh", .loseAnswer)
            async let one = first.user()
            async let other = second.user()
            #expect(try await one == other)
        }
        app.transport.plan("users/me", .loseAnswer)
        await #expect(throws: GatehouseError.noAnswer(.networkConnectionLost)) { try await first.user() }
        #expect(try await first.user() == second.user())
        try await first.deleteAccount(authorizationCode: nil)
        #expect(keys.names == [] && store.contents == nil)
    }

    @Test("Stolen tokens with another key are refused, and end the session")
    func stolen() async throws {
        let app = try app()
        let client = try await signedIn(app)
        let (thiefs, copy) = (TestDeviceKeys(), FaultyStore(store.contents))
        for name in keys.names { _ = try thiefs.makeKey(name) }
        let thief = app.client(copy, binding: .keys(thiefs))
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) {
            try await thief.send(app.request("GET", "/notes/"))
        }
        #expect(app.transport.sent("notes/").allSatisfy { $0.status == 401 })
        app.expireToken()
        let error = await #expect(throws: GatehouseError.self) { try await client.user() }
        guard case .signedOut(.refused) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(keys.names == [] && store.contents == nil)
    }
}
