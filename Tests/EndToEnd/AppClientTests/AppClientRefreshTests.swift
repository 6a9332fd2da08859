import Foundation
import FoundationNetworking
import GatehouseClient
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("App: refreshing")
struct AppClientRefreshTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    @Test("100 tasks make one refresh")
    func oneRefresh() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        let request = app.request()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await client.send(request).1.statusCode } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 100))
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("Cancelling a task ends its wait at once, and neither cancels the refresh nor starts another one")
    func cancelledTask() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        let gate = Gate()
        app.transport.plan("auth/refresh", .hold(gate))
        let cancelled = Task { try await client.accessToken() }
        await gate.arrival()
        let waiting = Task { try await client.accessToken() }
        cancelled.cancel()
        await #expect(throws: GatehouseError.cancelled) { try await cancelled.value }
        let later = Task { try await client.accessToken() }
        await gate.open()
        #expect(try await waiting.value == later.value)
        #expect(app.transport.sent("auth/refresh").map(\.status) == [200])
    }

    @Test("A task that was cancelled before it waits does not hang")
    func cancelledBefore() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.accessToken()
        }
        await #expect(throws: GatehouseError.cancelled) { try await task.value }
        #expect(try await client.user().status == .active)
    }

    @Test("A refresh that the system cancelled is repeated, and no other task fails as cancelled")
    func cancelledBySystem() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.transport.plan("auth/refresh", .cancel)
        #expect(try await client.user().status == .active)
        app.expireToken()
        app.transport.plan("auth/refresh", .cancel, times: 3)
        await #expect(throws: GatehouseError.noAnswer(.cancelled)) { try await client.user() }
    }

    @Test("After a refresh whose answer was lost, the user is signed in", arguments: 1...2)
    func lostAnswers(number: Int) async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.transport.plan("auth/refresh", .loseAnswer, times: number)
        #expect(try await client.user().status == .active)
        #expect(app.transport.sent("auth/refresh").map(\.status) == Array(repeating: nil, count: number) + [200])
    }

    @Test("The app gives up after three attempts, and is signed in when the network returns")
    func noNetwork() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.transport.plan("auth/refresh", .loseAnswer, times: 3)
        await #expect(throws: GatehouseError.noAnswer(.networkConnectionLost)) { try await client.user() }
        #expect(app.transport.sent("auth/refresh").count == 3)
        app.expireToken()
        #expect(try await client.user().status == .active)
    }

    @Test("An app that was killed between the answer and the save is signed in at its next start")
    func killedBeforeSave() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let before = try #require(store.contents)
        app.expireToken()
        let gate = Gate()
        app.transport.plan("auth/refresh", .hold(gate))
        let task = Task { try await client.accessToken() }
        await gate.arrival()
        task.cancel()
        app.expireToken()
        let restarted = app.client(FaultyStore(before))
        guard case .signedIn = try await restarted.restore() else { return #expect(Bool(false), "not signed in") }
        #expect(try await restarted.user().status == .active)
        #expect(app.transport.sent("auth/refresh").count == 2)
        await gate.open()
    }

    @Test("The successor is saved before its access token is used")
    func savedBeforeUse() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        for _ in 0..<3 {
            app.expireToken()
            let saves = store.saves
            let token = try await client.accessToken()
            #expect(store.saves == saves + 1)
            #expect(String(decoding: store.contents ?? Data(), as: UTF8.self).contains(token))
        }
    }

    @Test("A lost answer that is repeated without any lifetime left is followed by one more refresh")
    func repeatedLate() async throws {
        let app = try AppClientFixture(ServerBehindNginx { $0["ACCESS_TOKEN_TTL"] = "1s" })
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let old = try #require(try RefreshTokenOnly(in: store.contents))
        app.expireToken()
        app.transport.plan("auth/refresh", .loseAnswer, times: 3)
        _ = try? await client.accessToken()
        #expect(Eventually.holds { (try? app.server.refresh(old.text))?.json["expiresIn"]?.integer == 0 })
        let count = app.transport.sent("auth/refresh").count
        _ = try await client.accessToken()
        #expect(app.transport.sent("auth/refresh").dropFirst(count).map(\.status) == [200, 200])
        #expect(try RefreshTokenOnly(in: store.contents)?.text != old.text)
    }

    @Test("An access token is not refreshed while it is valid for the demanded time")
    func margin() async throws {
        let client = try await app.signedIn()
        _ = try await client.accessToken()
        app.clock.advance(by: .seconds(15 * 60 - 100))
        _ = try await client.accessToken()
        #expect(app.transport.sent("auth/refresh").isEmpty)
        _ = try await client.accessToken(validFor: .seconds(130))
        #expect(app.transport.sent("auth/refresh").count == 1)
    }

    @Test("A demand for more time than a token lives does not refresh each time")
    func impossibleMargin() async throws {
        let client = try await app.signedIn()
        for _ in 0..<5 { _ = try await client.accessToken(validFor: .seconds(86_400)) }
        #expect(app.transport.sent("auth/refresh").isEmpty)
    }

    @Test("A session that the server has ended signs the app out, with the reason")
    func endedElsewhere() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let other = app.client(FaultyStore(store.contents))
        try await other.restore()
        await other.signOut(everywhere: true)
        await #expect(throws: GatehouseError.signedOut(.refused(.refreshTokenRevoked))) { try await client.user() }
        #expect(client.state == .signedOut(.refused(.refreshTokenRevoked)))
        #expect(store.contents == nil)
        await #expect(throws: GatehouseError.signedOut(.refused(.refreshTokenRevoked))) { try await client.user() }
        #expect(app.transport.sent("auth/refresh").count == 1)
    }
}

/// The refresh token that an app has stored.
private struct RefreshTokenOnly {
    let text: String

    init?(in contents: Data?) throws {
        let pattern = /"refreshToken":"([^"]+)"/
        guard let contents, let match = String(decoding: contents, as: UTF8.self).firstMatch(of: pattern) else {
            return nil
        }
        text = String(match.1)
    }
}
