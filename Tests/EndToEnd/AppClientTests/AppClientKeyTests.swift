import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Keys that are lost or cannot be read, and processes that are killed on the way from a key to its end.
@Suite("App: the key of a bound session")
struct AppClientKeyTests {
    private let app = BoundAppFixture()

    // MARK: Lost keys

    @Test("A session whose key is not on this device is signed out when the app starts, with a reason of its own")
    func restoredBackup() async throws {
        _ = try await app.signedIn()
        app.keys.loseAll()
        let restored = app.client()
        #expect(try await restored.restore() == .signedOut(.deviceKeyLost))
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) { try await restored.user() }
        #expect(app.store.contents == nil && app.server.seen().count == 1)
        guard case .signedOut(.refused(let code)) = restored.state else {
            return #expect(Bool(false), "\(restored.state)")
        }
        #expect(code.description == "device_key_lost")
        try await restored.signIn(development: app.login)
        #expect(try await restored.user().id == "user_1")
    }

    @Test("A key that is missing once is read again, and signs nobody out")
    func missedKey() async throws {
        let session = try await app.signedIn().state
        app.keys.missNextRead()
        #expect(try await app.client().restore() == session)
        app.keys.missNextRead()
        #expect(try await app.client().send(app.request()).1.statusCode == 200)
        #expect(app.server.faults == [] && app.keys.names.count == 1)
    }

    @Test("A key that can never sign again signs out with a request and with a refresh", arguments: [false, true])
    func unusableKey(refreshes: Bool) async throws {
        let client = try await app.signedIn()
        app.keys.failToSign(.unreadable)
        if refreshes { app.expireToken() }
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) { try await client.send(app.request()) }
        #expect(client.state == .signedOut(.deviceKeyLost))
        #expect(app.keys.names == [] && app.store.contents == nil)
    }

    @Test(
        "A key that cannot be read or used now signs nobody out, and is used when it can be",
        arguments: [StoreUnavailable.locked, .failed("OSStatus -25291")])
    func lockedKey(reason: StoreUnavailable) async throws {
        _ = try await app.signedIn()
        app.keys.fail(reason)
        let client = app.client()
        guard case .signedIn = try await client.restore() else { return #expect(Bool(false), "\(client.state)") }
        await #expect(throws: GatehouseError.storeUnavailable(reason)) { try await client.send(app.request()) }
        app.expireToken()
        await #expect(throws: GatehouseError.storeUnavailable(reason)) { try await client.accessToken() }
        #expect(GatehouseError.storeUnavailable(reason).isTemporary)
        app.keys.fail(nil)
        app.keys.failToSign(reason)
        await #expect(throws: GatehouseError.storeUnavailable(reason)) { try await client.accessToken() }
        app.keys.failToSign(nil)
        _ = try await client.user()
        #expect(app.server.faults == [])
    }

    @Test("A bound session at a client that is made without keys is an error, and no sign-out")
    func noKeys() async throws {
        _ = try await app.signedIn()
        let client = app.client(.automatic)
        guard case .signedIn = try await client.restore() else { return #expect(Bool(false), "\(client.state)") }
        let error = await #expect(throws: GatehouseError.self) { try await client.user() }
        #expect(error?.description.contains("no device keys") == true, "\(error as Any)")
        _ = try await app.client().user()
    }

    @Test("The server's refusal of the key signs out: of a refresh at once, of another request after a refresh says so")
    func refusedKey() async throws {
        let client = try await app.signedIn()
        app.server.plan("notes", .refuse("key"))
        #expect(try await client.send(app.request()).1.statusCode == 401)
        #expect(app.server.seen("refresh").count == 1)
        guard case .signedIn = client.state else { return #expect(Bool(false), "a service alone ends no session") }

        app.expireToken()
        app.server.plan("refresh", .refuse("key"))
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) { try await client.user() }
        #expect(client.state == .signedOut(.deviceKeyLost) && app.keys.names == [])
    }

    @Test("A session that the server has ended for its key is signed out with that reason")
    func endedForKey() async throws {
        let client = try await app.signedIn()
        app.server.plan("me", .refuse("key"))
        app.server.plan("refresh", .answer(401, body: FaultyTransport.problem(401, "refresh_token_revoked")))
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) {
            try await client.update(ProfileChange(nickname: .set("Ann")))
        }
        #expect(client.state == .signedOut(.deviceKeyLost))
    }

    @Test(
        "A session whose key an earlier version of the library has dropped is signed out when the server misses a proof"
    )
    func droppedKey() async throws {
        _ = try await app.signedIn()
        let without = app.stored.replacing("\"key\":", with: "\"unknown\":")
        #expect(without != app.stored)
        app.store.replace(Data(without.utf8))
        let client = app.client()
        app.expireToken()
        app.server.plan("refresh", .refuse("missing"))
        await #expect(throws: GatehouseError.signedOut(.deviceKeyLost)) { try await client.user() }
    }

    @Test("A key that another process has deleted with the session is no lost key")
    func signedOutElsewhere() async throws {
        let first = try await app.signedIn()
        let (second, third) = (app.client(), app.client())
        // They have read the session, and not yet its key.
        for client in [second, third] { _ = try await client.accessToken() }
        await first.signOut()
        #expect(app.keys.names == [])
        await #expect(throws: GatehouseError.signedOut(.otherProcess)) { try await second.user() }
        #expect(second.state == .signedOut(.otherProcess))
        let session = try await first.signIn(development: app.login)
        await #expect(throws: GatehouseError.superseded) { try await third.user() }
        #expect(try await third.user() == session.user)
        #expect(third.state == .signedIn(session))
    }

    // MARK: Killed processes

    /// Where a process is killed: its next steps fail, and another one begins with what is stored.
    private func restarted() async throws -> GatehouseClient {
        app.store.fail()
        app.keys.fail(nil)
        app.keys.failToSign(nil)
        app.keys.failToDelete(nil)
        let client = app.client()
        try await client.restore()
        return client
    }

    @Test(
        "Killed before the key is made, or before the login is sent: the next login has the one key",
        arguments: [0, 1, 2])
    func killedBeforeLogin(point: Int) async throws {
        for _ in 0..<3 {
            let client = app.client()
            switch point {
            case 0: app.keys.fail(.locked)
            case 1: app.keys.failToSign(.locked)
            default: break
            }
            app.server.plan("dev-login", .answer(403, body: FaultyTransport.problem(403, "dev_login_disabled")))
            _ = try? await client.signIn(development: app.login)
            app.keys.fail(nil)
            app.keys.failToSign(nil)
        }
        #expect(app.keys.names.count == (point == 0 ? 0 : 1))
        let client = try await restarted()
        try await client.signIn(development: app.login)
        #expect(app.keys.names.count == 1 && app.keys.made == 1)
        #expect(await client.signOut() == .delivered)
        #expect(app.keys.names == [] && app.store.contents == nil)
    }

    @Test(
        "Killed between the server's answer to the login and the save: signed out, and the next login has the one key")
    func killedBeforeSave() async throws {
        let gate = Gate()
        app.server.plan("dev-login", .hold(gate))
        let killed = app.client()
        let login = Task { try await killed.signIn(development: app.login) }
        await gate.arrival()
        let client = try await restarted()
        #expect(client.state == .signedOut(nil) && app.keys.names.count == 1)
        try await client.signIn(development: app.login)
        let stored = app.store.contents
        #expect(app.keys.names.count == 1 && app.keys.made == 1)
        login.cancel()
        _ = try? await login.value
        #expect(app.store.contents == stored)
        _ = try await app.client().user()
        #expect(app.server.faults == [])
    }

    @Test(
        "Killed after the sign-out is saved and before the logout is delivered: the next process delivers it with the key"
    )
    func killedBeforeDelivery() async throws {
        let gate = Gate()
        let killed = try await app.signedIn()
        app.server.plan("logout", .hold(gate))
        let signOut = Task { await killed.signOut() }
        await gate.arrival()
        let client = try await restarted()
        #expect(await client.deliverLogouts())
        #expect(app.server.seen("logout").allSatisfy { $0.proof != nil })
        #expect(app.keys.names == [] && app.store.contents == nil)
        await gate.open()
        _ = await signOut.value
        #expect(app.store.contents == nil)
    }

    @Test(
        "Killed between the end of the session and the deletion of its key: the next process deletes it",
        arguments: [false, true])
    func killedBeforeDeletion(byServer: Bool) async throws {
        let client = try await app.signedIn()
        app.keys.failToDelete(.locked)
        if byServer {
            app.expireToken()
            app.server.plan("refresh", .answer(401, body: FaultyTransport.problem(401, "refresh_token_expired")))
            _ = try? await client.user()
        } else {
            #expect(await client.signOut() == .delivered)
        }
        #expect(app.keys.names.count == 1 && app.store.contents != nil)
        #expect(try await restarted().state == .signedOut(nil))
        #expect(app.keys.names == [] && app.store.contents == nil)
    }

    @Test("Killed between the deletion of a key and the save: the next process forgets its name")
    func killedAfterDeletion() async throws {
        let client = try await app.signedIn()
        app.keys.failToDelete(.locked)
        await client.signOut()
        app.keys.loseAll()
        #expect(try await restarted().state == .signedOut(nil))
        #expect(app.store.contents == nil)
    }

    @Test("A sign-out that cannot be saved keeps the key, because the stored session still needs it")
    func unsavedSignOut() async throws {
        let client = try await app.signedIn()
        app.store.fail(save: .failed("errno 28"))
        await client.signOut()
        #expect(app.keys.names.count == 1)
        let next = try await restarted()
        guard case .signedIn = next.state else { return #expect(Bool(false), "\(next.state)") }
        _ = try await next.user()
    }

    @Test("Logouts that are dropped because there are too many lose their keys too")
    func manyLogouts() async throws {
        let client = app.client()
        app.server.plan("logout", .answer(503))
        for _ in 0..<25 {
            try await client.signIn(development: app.login)
            app.server.setOffline(true)
            await client.signOut()
            app.server.setOffline(false)
            app.server.plan("logout", .answer(503))
        }
        #expect(app.keys.names.count <= 20)
        _ = await client.deliverLogouts()
        #expect(
            try await Eventually.becomesTrue {
                _ = await client.deliverLogouts()
                return app.keys.names == []
            })
    }
}
