import Foundation
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

@Suite("App: the store of the session")
struct AppClientStoreTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    @Test("A session that cannot be saved goes on in memory, is reported, and is saved when that is possible")
    func failedSave() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        var failures = client.storeFailures.makeAsyncIterator()
        let before = store.contents
        store.fail(save: .failed("errno 28"))
        app.expireToken()
        let token = try await client.accessToken()
        #expect(try await client.user().status == .active)
        #expect(await failures.next() == .failed("errno 28"))
        #expect(store.contents == before)
        store.fail()
        #expect(try await Eventually.becomesTrue { store.contents != before })
        let restarted = app.client(FaultyStore(store.contents))
        try await restarted.restore()
        #expect(try await restarted.accessToken() == token)
    }

    @Test("A locked store is unknown, not signed out: nothing is cleared, and the client reads it when it is unlocked")
    func lockedStore() async throws {
        let store = FaultyStore()
        let session = try await app.signedIn(store).user()
        let contents = store.contents
        store.fail(load: .locked, save: .locked)
        let client = app.client(store)
        #expect(try await client.restore() == .unknown(.locked))
        await #expect(throws: GatehouseError.storeUnavailable(.locked)) { try await client.accessToken() }
        #expect(client.state == .unknown(.locked))
        #expect(store.contents == contents)
        store.fail()
        for await state in client.states {
            if case .signedIn(let restored) = state {
                #expect(restored.user == session)
                break
            }
        }
    }

    @Test("A store that always fails is reported; a login works until the process ends, and is not saved")
    func alwaysFailing() async throws {
        let (store, failure) = (FaultyStore(), StoreUnavailable.failed("OSStatus -34018"))
        store.fail(load: failure, save: failure)
        let client = app.client(store)
        var failures = client.storeFailures.makeAsyncIterator()
        #expect(try await client.restore() == .unknown(failure))
        #expect(await failures.next() == failure)
        let session = try await client.signIn(development: app.login())
        #expect(client.state == .signedIn(session))
        app.expireToken()
        #expect(try await client.user() == session.user)
        #expect(store.saves == 0)
        #expect(try await app.client(store).restore() == .unknown(failure))
    }

    @Test("Signing out while the store is locked ends the stored session when it is unlocked")
    func signOutWhileLocked() async throws {
        let store = FaultyStore()
        let witness = try await app.signedIn(store)
        store.fail(load: .locked, save: .locked)
        let client = app.client(store)
        try await client.restore()
        #expect(await client.signOut() == .queued)
        #expect(client.state == .signedOut(.requested))
        store.fail()
        try await client.restore()
        #expect(client.state == .signedOut(.requested))
        #expect(await client.deliverLogouts())
        await #expect(throws: GatehouseError.self) { try await witness.user() }
    }

    @Test("A login while the store is locked replaces what it held, and ends that session")
    func signInWhileLocked() async throws {
        let store = FaultyStore()
        let witness = try await app.signedIn(store)
        store.fail(load: .locked, save: .locked)
        let client = app.client(store)
        let session = try await client.signIn(development: app.login())
        #expect(try await client.user() == session.user)
        store.fail()
        #expect(try await client.restore() == .signedIn(session))
        #expect(await client.deliverLogouts())
        await #expect(throws: GatehouseError.self) { try await witness.user() }
    }

    @Test(
        "Damaged contents are an error, stay until the next login, and are replaced by it",
        arguments: ["", "{", "[]", #"{"version":2,"logouts":[]}"#])
    func damaged(contents: String) async throws {
        let store = FaultyStore(Data(contents.utf8))
        let client = app.client(store)
        await #expect(throws: GatehouseError.storeUnavailable(.unreadable)) { try await client.restore() }
        #expect(client.state == .unknown(.unreadable))
        #expect(store.contents == Data(contents.utf8))
        let session = try await client.signIn(development: app.login())
        #expect(try await app.client(store).restore() == .signedIn(Session(user: session.user, isNewUser: false)))
    }

    // MARK: Two servers

    @Test(
        "A client of another server is signed out, sends nothing of the first one's, and changes nothing before a login",
        arguments: ["https://other.example.com", "https://localhost", "http://localhost:8080", "https://localhost:1"])
    func otherServer(_ url: String) async throws {
        let (store, other) = (FaultyStore(), try #require(URL(string: url)))
        let client = try await app.signedIn(store)
        for isSignedIn in [true, false] {
            if !isSignedIn {
                app.transport.setOffline(true)
                #expect(await client.signOut(everywhere: true) == .queued)
                app.transport.setOffline(false)
            }
            let contents = store.contents
            let wrong = app.client(store, at: other)
            #expect(try await wrong.restore() == .signedOut(nil))
            await #expect(throws: GatehouseError.signedOut(nil)) { try await wrong.accessToken() }
            #expect(await wrong.deliverLogouts())
            #expect(await wrong.signOut() == .delivered)
            #expect(store.contents == contents && contents != nil)
            #expect(!app.transport.sent().contains { $0.url.hasPrefix(url + "/") })
        }
        let wrong = app.client(store, at: other)
        let session = try await wrong.signIn(development: app.login())
        #expect(await wrong.deliverLogouts())
        #expect(try await app.client(store, at: other).restore() == .signedIn(Session(user: session.user)))
        #expect(try await app.client(store).restore() == .signedOut(nil))
        let sent = app.transport.sent().filter { $0.url.hasPrefix(url + "/") }
        #expect(sent.map(\.path) == ["/api/auth/dev-login"])
    }

    @Test("What an earlier version of the library has stored belongs to the first server that reads it")
    func withoutOrigin() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let text = String(decoding: try #require(store.contents), as: UTF8.self)
        let member = #""origin":"https:\/\/localhost:\#(app.server.port)""#
        #expect(text.contains(member))
        store.replace(Data(text.replacing(member + ",", with: "").replacing("," + member, with: "").utf8))
        let upper = try #require(URL(string: "HTTPS://LOCALHOST:\(app.server.port)/"))
        #expect(try await app.client(store, at: upper).restore() == .signedIn(Session(user: client.user())))
        let other = try #require(URL(string: "https://other.example.com"))
        #expect(try await app.client(store, at: other).restore() == .signedOut(nil))
        #expect(try await app.client(store).restore() != .signedOut(nil))
    }

    // MARK: The file

    @Test("The file is replaced in one step, only its owner can read it, and nothing else is left in its folder")
    func file() throws {
        let folder = try TemporaryFolder()
        let store = FileSessionStore(file: URL(fileURLWithPath: folder.file("session")))
        #expect(try store.load() == nil)
        try store.save(nil)
        for contents in ["one", "a longer text", "x"] {
            try store.save(Data(contents.utf8))
            #expect(try store.load() == Data(contents.utf8))
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("session"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session"])
        try store.save(nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("A file that cannot be read or written is an error that says why")
    func unwritableFile() throws {
        let folder = try TemporaryFolder()
        let missing = FileSessionStore(file: URL(fileURLWithPath: folder.file("missing/session")))
        #expect(throws: StoreUnavailable.failed("errno \(ENOENT)")) { try missing.save(Data([1])) }
        let notAFile = FileSessionStore(file: URL(fileURLWithPath: folder.path))
        #expect(throws: StoreUnavailable.self) { try notAFile.load() }
        #expect(throws: StoreUnavailable.self) { try notAFile.save(Data([1])) }
    }
}
