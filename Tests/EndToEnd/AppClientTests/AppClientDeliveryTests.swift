import Foundation
import GatehouseClient
import Testing

@testable import ServerSupport

/// Logouts that reach the server later.
@Suite("App: delivery of logouts")
struct AppClientDeliveryTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    @Test("A queued logout everywhere does not end the session of the user's next login, and ends the others")
    func loginAfterLogoutEverywhere() async throws {
        let login = app.login()
        let (client, other) = (app.client(), app.client())
        try await other.signIn(development: login)
        try await client.signIn(development: login)
        app.transport.setOffline(true)
        #expect(await client.signOut(everywhere: true) == .queued)
        app.transport.setOffline(false)
        let session = try await client.signIn(development: login)
        #expect(await client.deliverLogouts())
        #expect(try await client.user().id == session.user.id)
        await #expect(throws: GatehouseError.self) { try await other.user() }
    }

    @Test("A delivery that began without a network does not keep a later one from sending the logout")
    func deliveryThatBeganBefore() async throws {
        let client = try await app.signedIn(FaultyStore())
        app.transport.setOffline(true)
        #expect(await client.signOut() == .queued)
        app.transport.setOffline(false)
        let gate = Gate()
        app.transport.plan("auth/logout", .answerAfter(gate, 503, body: ""))
        let before = Task { await client.deliverLogouts() }
        await gate.arrival()
        let later = Task { await client.deliverLogouts() }
        // By now the later call has found the first delivery, or it begins one of its own: each must succeed.
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        #expect(await before.value == false)
        #expect(await later.value)
    }

    @Test("A logout everywhere that the server answers only after the next login ends the other sessions alone")
    func lateLogoutEverywhere() async throws {
        let login = app.login()
        let (client, other) = (app.client(), app.client())
        try await other.signIn(development: login)
        try await client.signIn(development: login)
        app.transport.plan("auth/logout-all", .answer(503, body: ""), times: 2)
        #expect(await client.signOut(everywhere: true) == .queued)
        try await client.signIn(development: login)
        #expect(await client.deliverLogouts())
        #expect(try await client.sessions().map(\.current) == [true])
        await #expect(throws: GatehouseError.self) { try await other.user() }
    }

    @Test("A logout everywhere that refreshed and then failed is no theft, and ends all sessions later")
    func failedAfterRefresh() async throws {
        let login = app.login()
        let (store, other) = (FaultyStore(), app.client())
        try await other.signIn(development: login)
        let client = app.client(store)
        try await client.signIn(development: login)
        let expired = FaultyTransport.problem(401, "access_token_expired")
        app.transport.plan("auth/logout-all", .answer(401, body: expired), .fail(503))
        #expect(await client.signOut(everywhere: true) == .queued)
        app.transport.plan("auth/logout-all", .answer(401, body: expired))
        let restarted = app.client(store)
        try await restarted.restore()
        #expect(await restarted.deliverLogouts())
        #expect(app.transport.sent("auth/refresh").map(\.status) == [200, 200])
        await #expect(throws: GatehouseError.self) { try await other.user() }
    }

    @Test(
        "A logout is kept unless the server says that the session has ended, and holds up no other",
        arguments: [(404, "not_found"), (403, "forbidden"), (401, "of_tomorrow"), (421, "misdirected_request")])
    func refused(status: Int, code: String) async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let witness = app.client(FaultyStore(store.contents))
        try await witness.restore()
        let refusal = FaultyTransport.Fault.answer(status, body: FaultyTransport.problem(status, code))
        app.transport.plan("auth/logout", refusal)
        #expect(await client.signOut() == .queued)
        #expect(try await witness.user().status == .active)
        app.transport.plan("auth/logout", refusal)
        // It also delivers what waits.
        try await client.signIn(development: app.login())
        await client.deliverLogouts()
        #expect(await client.signOut() == .delivered)
        await #expect(throws: GatehouseError.self) { try await witness.user() }
    }
}
