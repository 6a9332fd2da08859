import Foundation
import GatehouseClient
import Testing

/// Processes that write to one store without a lock.
@Suite("App: several processes")
struct AppClientProcessTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    private func expire() { app.clock.advance(by: .seconds(3600)) }

    @Test("A save of another process that began before the logout does not sign in again, and the session is ended")
    func lateSave() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let before = store.contents
        let witness = app.client(FaultyStore(before))
        try await witness.restore()
        app.transport.setOffline(true)
        #expect(await client.signOut() == .queued)
        store.replace(before)
        #expect(try await client.restore() == .signedOut(.requested))
        await #expect(throws: GatehouseError.signedOut(.requested)) { try await client.user() }
        app.transport.setOffline(false)
        #expect(await client.deliverLogouts())
        #expect(store.contents == nil)
        await #expect(throws: GatehouseError.self) { try await witness.user() }
    }

    @Test("A save of another process that began before the next login does not bring the previous user back")
    func lateSaveAfterLogin() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let before = store.contents
        let session = try await client.signIn(development: app.login())
        await client.deliverLogouts()
        store.replace(before)
        expire()
        #expect(try await client.user() == session.user)
        #expect(client.state == .signedIn(session))
        #expect(try await app.client(store).restore() == .signedIn(Session(user: session.user)))
    }

    @Test("The late answer of a login leaves what another process has saved meanwhile")
    func supersededLogin() async throws {
        let store = FaultyStore()
        let first = try await app.signedIn(store)
        let second = app.client(store)
        try await second.restore()
        let gate = Gate()
        app.transport.plan("auth/dev-login", .hold(gate), .answer(403, body: ""))
        let late = Task { try await second.signIn(development: app.login()) }
        await gate.arrival()
        _ = try? await second.signIn(development: app.login())
        for _ in 0..<2 {
            expire()
            _ = try await first.user()
        }
        let saved = try await first.accessToken()
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await late.value }
        #expect(try await second.accessToken() == saved)
        #expect(try await app.client(FaultyStore(store.contents)).accessToken() == saved)
    }

    @Test("A process that found no session adopts a login of another process with its next request")
    func laterLogin() async throws {
        let store = FaultyStore()
        let widget = app.client(store)
        #expect(try await widget.restore() == .signedOut(nil))
        let session = try await app.signedIn(store).user()
        #expect(try await widget.user() == session)
        #expect(widget.state == .signedIn(Session(user: session)))
    }

    @Test(
        "A stored session that makes no sense is refreshed, not trusted",
        arguments: [-5, 0, Int.max, Int.min])
    func lifetime(seconds: Int) async throws {
        let store = FaultyStore()
        let user = try await app.signedIn(store).user()
        let contents = String(decoding: try #require(store.contents), as: UTF8.self)
        let damaged = contents.replacing(/"expiresIn":\d+/, with: "\"expiresIn\":\(seconds)")
        #expect(damaged != contents)
        let restarted = app.client(FaultyStore(Data(damaged.utf8)))
        guard case .signedIn = try await restarted.restore() else { return #expect(Bool(false), "not signed in") }
        #expect(try await restarted.user() == user)
    }
}
