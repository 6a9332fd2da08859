import Foundation
import GatehouseClient
import Testing

@testable import ServerSupport

@Suite("App: signing in and out")
struct AppClientSignOutTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    @Test("Signing out during a refresh, and another login: the late answer changes nothing")
    func lateRefresh() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        app.expireToken()
        let gate = Gate()
        app.transport.plan("auth/refresh", .hold(gate))
        let waiting = Task { try await client.accessToken() }
        await gate.arrival()
        #expect(await client.signOut() == .delivered)
        await #expect(throws: GatehouseError.signedOut(.requested)) { try await waiting.value }
        let second = try await client.signIn(development: app.login())
        let saved = store.contents
        await gate.open()
        #expect(try await client.user() == second.user)
        #expect(store.contents == saved)
        #expect(client.state == .signedIn(second))
    }

    @Test("The late answer of a login does not sign in after signing out, and its session is ended")
    func lateLogin() async throws {
        let client = app.client()
        let gate = Gate()
        app.transport.plan("auth/dev-login", .hold(gate))
        let login = Task { try await client.signIn(development: app.login()) }
        await gate.arrival()
        await client.signOut()
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await login.value }
        #expect(client.state == .signedOut(.requested))
        try await app.transport.answered("auth/logout", 204)
        #expect(app.transport.sent("auth/logout").map(\.status) == [204])
    }

    @Test("A cancelled login does not sign in, and the session that the server has begun is ended")
    func cancelledLogin() async throws {
        let client = app.client()
        let gate = Gate()
        app.transport.plan("auth/dev-login", .hold(gate))
        let login = Task { try await client.signIn(development: app.login()) }
        await gate.arrival()
        login.cancel()
        await #expect(throws: GatehouseError.cancelled) { try await login.value }
        await gate.open()
        try await app.transport.answered("auth/logout", 204)
        #expect(app.transport.sent("auth/logout").map(\.status) == [204])
        #expect(client.state == .signedOut(nil))
    }

    @Test("Of two logins at once the later one counts, and the other's session is ended")
    func twoLogins() async throws {
        let client = app.client()
        let gate = Gate()
        app.transport.plan("auth/dev-login", .hold(gate))
        let first = Task { try await client.signIn(development: app.login()) }
        await gate.arrival()
        let second = try await client.signIn(development: app.login())
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await first.value }
        #expect(client.state == .signedIn(second))
        #expect(await client.deliverLogouts())
        #expect(app.transport.sent("auth/logout").map(\.status) == [204])
        #expect(try await client.user() == second.user)
    }

    @Test("A login in place of another one ends the session of the first at the server")
    func replacedSession() async throws {
        let email = "\(UUID().uuidString)@example.com"
        let client = app.client()
        try await client.signIn(development: app.login(email))
        try await client.signIn(development: app.login(email))
        #expect(await client.deliverLogouts())
        #expect(try await client.sessions().map(\.current) == [true])
    }

    @Test("A login whose answer is lost is sent again")
    func lostLogin() async throws {
        let client = app.client()
        app.transport.plan("auth/dev-login", .loseAnswer)
        let session = try await client.signIn(development: app.login())
        #expect(try await client.user() == session.user)
    }

    @Test("A logout without a network signs out at once, and is delivered at the next start")
    func offline() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let witness = app.client(FaultyStore(store.contents))
        try await witness.restore()
        app.transport.setOffline(true)
        #expect(await client.signOut() == .queued)
        #expect(client.state == .signedOut(.requested))
        await #expect(throws: GatehouseError.signedOut(.requested)) { try await client.accessToken() }
        app.transport.setOffline(false)
        #expect(try await witness.user().status == .active)

        let restarted = app.client(store)
        #expect(try await restarted.restore() == .signedOut(nil))
        try await app.transport.answered("auth/logout", 204)
        #expect(await restarted.deliverLogouts())
        #expect(store.contents == nil)
        await #expect(throws: GatehouseError.self) { try await witness.user() }
    }

    @Test("A logout everywhere without a network ends all sessions when it is delivered", arguments: [false, true])
    func offlineEverywhere(afterHours: Bool) async throws {
        let email = "\(UUID().uuidString)@example.com"
        let (store, other) = (FaultyStore(), app.client())
        try await other.signIn(development: app.login(email))
        let first = app.client(store)
        try await first.signIn(development: app.login(email))
        app.transport.setOffline(true)
        #expect(await first.signOut(everywhere: true) == .queued)
        app.transport.setOffline(false)
        if afterHours {
            let expired = #"{"status": 401, "code": "access_token_expired", "title": "", "type": "", "detail": ""}"#
            app.transport.plan("auth/logout-all", .answer(401, body: expired))
            app.transport.plan("auth/refresh", .loseAnswer)
        }
        let restarted = app.client(store)
        try await restarted.restore()
        if await !restarted.deliverLogouts() { #expect(await restarted.deliverLogouts()) }
        await #expect(throws: GatehouseError.self) { try await other.user() }
    }

    @Test("A queued logout is delivered as soon as the server answers something else")
    func deliveredByTraffic() async throws {
        let client = try await app.signedIn()
        app.transport.plan("auth/logout", .loseRequest())
        #expect(await client.signOut() == .queued)
        _ = try await client.challenge()
        try await app.transport.answered("auth/logout", 204)
        #expect(app.transport.sent("auth/logout").map(\.status) == [nil, 204])
    }

    @Test("Signing out when the server has ended the session already is delivered")
    func endedSession() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let other = app.client(FaultyStore(store.contents))
        try await other.restore()
        #expect(await other.signOut() == .delivered)
        #expect(await client.signOut() == .delivered)
        #expect(await client.signOut() == .delivered)
    }

    @Test("States begin with the present one, and every listener gets each change once")
    func states() async throws {
        let client = app.client()
        var early = client.states.makeAsyncIterator()
        #expect(await early.next() == .unknown(.notRead))
        try await client.restore()
        #expect(await early.next() == .signedOut(nil))
        let session = try await client.signIn(development: app.login())
        #expect(session.isNewUser)
        #expect(await early.next() == .signedIn(session))
        _ = try await client.user()
        var late = client.states.makeAsyncIterator()
        #expect(await late.next() == .signedIn(session))
        await client.signOut()
        #expect(await early.next() == .signedOut(.requested))
        #expect(await late.next() == .signedOut(.requested))
    }
}
