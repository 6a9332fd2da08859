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
