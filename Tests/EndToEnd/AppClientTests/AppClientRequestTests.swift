import Foundation
import FoundationNetworking
import GatehouseClient
import Testing

@testable import ServerSupport

@Suite("App: requests of the user")
struct AppClientRequestTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    // MARK: 401

    @Test("After a 401 the token is refreshed once, and the request is sent again")
    func refused() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(401, body: FaultyTransport.problem(401, "access_token_expired")))
        #expect(try await client.user().status == .active)
        #expect(app.transport.sent("auth/refresh").count == 1)
        #expect(Set(app.transport.sent("users/me").map(\.bearer)).count == 2)
    }

    @Test("After a 401 for a token that was replaced during the request, the request is sent again without a refresh")
    func replacedMeanwhile() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.transport.plan(
            "users/me", .answerAfter(gate, 401, body: FaultyTransport.problem(401, "access_token_expired")))
        let late = Task { try await client.user() }
        await gate.arrival()
        _ = try await client.accessToken(replacing: client.accessToken())
        await gate.open()
        #expect(try await late.value.status == .active)
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("A second 401 is returned, and a service that always answers 401 does not cause a refresh each time")
    func refusedTwice() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(401, body: "of a service"), times: 12)
        for _ in 0..<10 { #expect(try await client.send(app.request()).1.statusCode == 401) }
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("A 401 that a refresh cannot help against is returned")
    func noRefresh() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(401, body: FaultyTransport.problem(401, "login_too_old")))
        #expect(try await client.send(app.request()).1.statusCode == 401)
        #expect(app.transport.sent("auth/refresh").isEmpty)
    }

    @Test("A request whose body is a stream is not sent twice, and the next one has a new token")
    func streamedBody() async throws {
        let client = try await app.signedIn()
        var request = app.request("PATCH")
        request.httpBodyStream = InputStream(data: Data("{}".utf8))
        app.transport.plan("users/me", .answer(401, body: FaultyTransport.problem(401, "access_token_expired")))
        #expect(try await client.send(request).1.statusCode == 401)
        #expect(app.transport.sent("users/me").count == 1)
        #expect(try await client.user().status == .active)
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("A request of a user who has signed out is not sent again as another user")
    func otherUser() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.transport.plan(
            "users/me", .answerAfter(gate, 401, body: FaultyTransport.problem(401, "access_token_expired")))
        let late = Task { try await client.send(app.request("DELETE")) }
        await gate.arrival()
        try await client.signIn(development: app.login())
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { _ = try await late.value }
        #expect(try await client.user().status == .active)
    }

    // MARK: 403

    @Test("A request of a user that an operator has disabled signs the app out", arguments: ["by call", "by send"])
    func disabled(kind: String) async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        guard case .signedIn(let session) = client.state else { return #expect(Bool(false)) }
        try app.server.backend.runCommand("users", "disable", session.user.id)
        let error = GatehouseError.signedOut(.refused(.userDisabled))
        await #expect(throws: error) {
            if kind == "by call" { _ = try await client.user() } else { _ = try await client.send(app.request()) }
        }
        #expect(client.state == .signedOut(.refused(.userDisabled)))
        #expect(store.contents == nil)
    }

    @Test(
        "Any other 403 is the answer, and loses neither the session nor a refresh",
        arguments: [
            FaultyTransport.problem(403, "insufficient_role"), FaultyTransport.problem(403, "forbidden"),
            FaultyTransport.problem(401, "user_disabled"), "<html>of a network</html>", "",
        ])
    func otherRefusal(body: String) async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(403, body: body))
        #expect(try await client.send(app.request("PATCH")).1.statusCode == 403)
        #expect(app.transport.sent("auth/refresh").isEmpty && app.transport.sent("users/me").count == 1)
        #expect(try await client.user().status == .active)
    }

    @Test("A service that answers user_disabled for a user that the server accepts causes one refresh")
    func disabledByService() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(403, body: FaultyTransport.problem(403, "user_disabled")), times: 5)
        for _ in 0..<5 { #expect(try await client.send(app.request()).1.statusCode == 403) }
        #expect(app.transport.sent("auth/refresh").count == 1)
        #expect(try await client.user().status == .active)
    }

    @Test("Without an answer to the refresh, a 403 user_disabled is the answer, and the session stays")
    func disabledOffline() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .answer(403, body: FaultyTransport.problem(403, "user_disabled")))
        app.transport.plan("auth/refresh", .loseRequest(), times: 3)
        #expect(try await client.send(app.request()).1.statusCode == 403)
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
        #expect(try await client.user().status == .active)
    }

    // MARK: Where tokens go

    @Test(
        "The access token is sent to the server's origin alone",
        arguments: [
            "https://example.com/api/users/me", "http://localhost/api/users/me", "https://localhost/api/users/me",
            "https://localhost.example.com/", "ftp://localhost/", "/relative",
        ])
    func otherOrigin(url: String) async throws {
        let client = try await app.signedIn()
        let count = app.transport.sent().count
        await #expect { _ = try await client.send(URLRequest(url: URL(string: url)!)) } throws: { error in
            if case GatehouseError.untrustedOrigin = error { true } else { false }
        }
        #expect(app.transport.sent().count == count)
    }

    @Test("The access token is sent to a trusted origin, by HTTPS, and to no other")
    func trustedOrigin() async throws {
        let store = FaultyStore()
        _ = try await app.signedIn(store)
        let client = GatehouseClient(
            app.url, store: store,
            trustedOrigins: [URL(string: "https://files.example.com")!, URL(string: "http://plain.example.com/")!],
            transport: app.transport)
        app.transport.plan("/a", .answer(200), times: 2)
        for url in ["https://files.example.com/a", "https://FILES.example.com:443/a?b"] {
            #expect(try await client.send(URLRequest(url: URL(string: url)!)).1.statusCode == 200)
        }
        #expect(app.transport.sent("/a").allSatisfy { $0.bearer?.hasPrefix("Bearer ey") == true })
        for url in [
            "https://files.example.com:8443/a", "http://files.example.com/a", "https://a.files.example.com/a",
            "http://plain.example.com/a",
        ] {
            let error = await #expect(throws: GatehouseError.self) {
                _ = try await client.send(URLRequest(url: URL(string: url)!))
            }
            #expect(error?.description.contains("trustedOrigins") == true, "\(url)")
        }
        #expect(app.transport.sent("/a").count == 2)
    }

    @Test(
        "Tokens are not sent without TLS, but for this device",
        arguments: [("http://api.example.com", false), ("http://127.0.0.1:1", true)])
    func plainHTTP(url: String, isSent: Bool) async throws {
        let client = GatehouseClient(URL(string: url)!, store: MemorySessionStore(), transport: app.transport)
        app.transport.plan("auth/dev-login", .answer(400, body: FaultyTransport.problem(400, "invalid_request")))
        await #expect(throws: GatehouseError.self) { try await client.signIn(development: app.login()) }
        #expect(app.transport.sent().count == (isSent ? 1 : 0))
    }

    @Test("Without a session nothing is sent")
    func signedOut() async throws {
        let client = app.client()
        await #expect(throws: GatehouseError.signedOut(nil)) { try await client.user() }
        #expect(app.transport.sent().isEmpty)
    }

    // MARK: The device's clock

    @Test(
        "A clock that is wrong by a day causes at most one refresh at each start",
        arguments: [-86_400.0, 86_400])
    func wrongClock(seconds: Double) async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        app.clock.setWrong(by: seconds)
        for _ in 0..<3 { _ = try await client.user() }
        #expect(app.transport.sent("auth/refresh").isEmpty)
        let restarted = app.client(store)
        try await restarted.restore()
        for _ in 0..<3 { #expect(try await restarted.user().status == .active) }
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("A token that has expired while the clock was turned back is refreshed after the server's 401")
    func clockTurnedBack() async throws {
        let store = FaultyStore()
        _ = try await app.signedIn(store)
        app.clock.setWrong(by: 60)
        let restarted = app.client(store)
        try await restarted.restore()
        app.transport.plan("users/me", .answer(401, body: FaultyTransport.problem(401, "access_token_expired")))
        for _ in 0..<3 { #expect(try await restarted.user().status == .active) }
        #expect(app.transport.sent("auth/refresh").count == 1)
    }
}
