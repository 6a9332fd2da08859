import Foundation
import GatehouseClient
import Testing

/// Processes that write to one store without a lock.
@Suite("App: several processes")
struct AppClientProcessTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    private func expire() { app.clock.advance(by: .seconds(3600)) }

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
}
