import Foundation
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Processes that share one store without a lock.
@Suite("App: several processes")
struct AppClientProcessTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    /// Two processes with the same session.
    private func sharedSession() async throws -> (FaultyStore, GatehouseClient, GatehouseClient) {
        let store = FaultyStore()
        let first = try await app.signedIn(store)
        let second = app.client(store)
        try await second.restore()
        return (store, first, second)
    }

    /// The process refreshes, and its answer waits at the gate.
    private func heldRefresh(of process: GatehouseClient) async -> (Gate, Task<String, any Error>) {
        app.expireToken()
        let gate = Gate()
        app.transport.plan("auth/refresh", .hold(gate))
        let late = Task { try await process.accessToken() }
        await gate.arrival()
        return (gate, late)
    }

    @Test("Two processes share a file without a lock, and both stay signed in")
    func twoProcesses() async throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.file("session"))
        let first = try await app.signedIn(FileSessionStore(file: file))
        let second = app.client(FileSessionStore(file: file))
        try await second.restore()
        for round in 0..<6 {
            app.expireToken()
            let (now, next) = round.isMultiple(of: 2) ? (first, second) : (second, first)
            #expect(try await now.user().status == .active)
            #expect(try await now.user().status == .active)
            #expect(try await next.accessToken() == now.accessToken())
        }
        #expect(app.transport.sent("auth/refresh").count == 6)
    }

    @Test("Two processes that refresh at the same moment both stay signed in")
    func sameMoment() async throws {
        let (_, first, second) = try await sharedSession()
        for _ in 0..<3 {
            app.expireToken()
            let gate = Gate()
            app.transport.plan("auth/refresh", .hold(gate), .hold(gate))
            // The answers have the same refresh token. Which of the two access tokens is kept does not matter.
            async let one = first.accessToken()
            async let other = second.accessToken()
            await gate.arrival(2)
            await gate.open()
            _ = try await (one, other)
            #expect(try await first.user().id == second.user().id)
        }
    }

    @Test("A process whose refreshed session is older than the stored one adopts the stored one")
    func lateProcess() async throws {
        let (_, first, second) = try await sharedSession()
        let (gate, late) = await heldRefresh(of: second)
        for _ in 0..<2 {
            app.expireToken()
            _ = try await first.user()
        }
        let newest = try await first.accessToken()
        await gate.open()
        #expect(try await late.value == newest)
        #expect(try await second.user().status == .active)
    }

    @Test("A process that was refused adopts what another process saved during its request")
    func refusedProcess() async throws {
        let store = FaultyStore()
        let first = try await app.signedIn(store)
        let old = store.contents
        app.expireToken()
        let gate = Gate()
        let refused = FaultyTransport.problem(401, "refresh_token_reused")
        let second = app.client(store)
        try await second.restore()
        app.transport.plan("auth/refresh", .hold(gate))
        let waiting = Task { try await first.accessToken() }
        await gate.arrival()
        let saved = Gate()
        app.transport.plan("auth/refresh", .answerAfter(saved, 401, body: refused))
        let other = Task { try await second.accessToken() }
        await saved.arrival()
        await gate.open()
        let token = try await waiting.value
        await saved.open()
        #expect(try await other.value == token)
        #expect(store.contents != old)
        guard case .signedIn = second.state else { return #expect(Bool(false), "\(second.state)") }
    }

    @Test("A process whose user was signed out by another process is signed out, and does not restore the session")
    func signedOutElsewhere() async throws {
        let (store, first, second) = try await sharedSession()
        let (gate, late) = await heldRefresh(of: second)
        await first.signOut()
        await gate.open()
        await #expect(throws: GatehouseError.signedOut(.otherProcess)) { try await late.value }
        #expect(second.state == .signedOut(.otherProcess))
        #expect(store.contents == nil)
    }

    @Test("A process adopts the user who signed in by another process")
    func otherUser() async throws {
        let (_, first, second) = try await sharedSession()
        await first.signOut()
        let session = try await first.signIn(development: app.login())
        app.expireToken()
        #expect(try await second.user() == session.user)
    }

    // MARK: Saves that arrive late

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
        app.expireToken()
        #expect(try await client.user() == session.user)
        #expect(client.state == .signedIn(session))
        #expect(try await app.client(store).restore() == .signedIn(Session(user: session.user)))
    }

    @Test("The late answer of a login leaves what another process has saved")
    func supersededLogin() async throws {
        let (store, first, second) = try await sharedSession()
        let gate = Gate()
        app.transport.plan("auth/dev-login", .hold(gate), .answer(403, body: ""))
        let late = Task { try await second.signIn(development: app.login()) }
        await gate.arrival()
        _ = try? await second.signIn(development: app.login())
        for _ in 0..<2 {
            app.expireToken()
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
