import Foundation
import FoundationNetworking
import GatehouseClient
import Testing

@testable import ServerSupport

/// What a user has asked for is never done as another user.
@Suite("App: another user signs in")
struct AppClientUserChangeTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    @Test("A request that waits for a refresh is not sent as the user who signs in during the wait")
    func waitingRequest() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        let gate = Gate()
        app.transport.plan("auth/refresh", .hold(gate))
        let waiting = Task { try await client.send(app.request("PATCH")) }
        await gate.arrival()
        try await client.signIn(development: app.login())
        await #expect(throws: GatehouseError.superseded) { _ = try await waiting.value }
        await gate.open()
        #expect(app.transport.sent("users/me").isEmpty)
    }

    @Test("A deletion whose answer was lost is not repeated as the user who has signed in since")
    func lostDeletion() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.transport.plan("users/me", .loseAnswerAfter(gate))
        let waiting = Task { try await client.deleteAccount(authorizationCode: nil) }
        await gate.arrival()
        let second = try await client.signIn(development: app.login())
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await waiting.value }
        #expect(try await client.user() == second.user)
    }

    @Test("A deletion does not delete the user who has signed in by another process")
    func otherProcess() async throws {
        let store = FaultyStore()
        let first = try await app.signedIn(store)
        let second = app.client(store)
        try await second.restore()
        await first.signOut()
        let session = try await first.signIn(development: app.login())
        app.expireToken()
        await #expect(throws: GatehouseError.superseded) { try await second.deleteAccount(authorizationCode: nil) }
        #expect(try await first.user() == session.user)
    }
}
