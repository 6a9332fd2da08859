import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

@Suite("App: sessions bound to the device")
struct AppClientBindingTests {
    private let app = BoundAppFixture()

    @Test(
        "Every request of a bound session has a new proof by the key of its login, with the hash of the token if there is one"
    )
    func proofs() async throws {
        let client = try await app.signedIn()
        _ = try await client.user()
        _ = try await client.update(ProfileChange(nickname: .set("Ann")))
        _ = try await client.send(app.request())
        _ = try await client.send(app.request("/notes%20of/a%2Fb", "DELETE"))
        app.expireToken()
        _ = try await client.accessToken()
        await client.signOut(everywhere: true)
        #expect(app.server.faults == [])
        let seen = app.server.seen()
        #expect(seen.count == 7)
        #expect(Set(seen.map { $0.proof?.key }).count == 1 && seen[0].proof != nil)
        #expect(
            seen.map(\.authorization) == [
                nil, "DPoP access1", "DPoP access1", "DPoP access1", "DPoP access1", nil, "DPoP access6",
            ])
        #expect(seen.map { $0.proof?["ath"] == nil } == seen.map { $0.authorization == nil })
        #expect(seen[4].proof?["htu"] == "https://api.example.com/notes%20of/a%2Fb")
        #expect(!app.keys.hasSignedOnMainThread)
    }

    @Test(
        "The address of a proof is the one that the server sees",
        arguments: [
            ("https://API.example.com:443", "https://api.example.com/"),
            ("https://api.example.com/a?b=c#d", "https://api.example.com/a"),
            ("https://api.example.com:444/%C3%A4/", "https://api.example.com:444/%C3%A4/"),
            ("http://[::1]:80/a%2Fb/../c", "http://[::1]/a%2Fb/../c"),
        ])
    func address(url: String, expected: String) async throws {
        _ = try await app.signedIn()
        let client = app.client(trustedOrigins: [
            URL(string: "https://api.example.com:444")!, URL(string: "http://[::1]")!,
        ])
        app.server.plan("", .answer(401, headers: ["WWW-Authenticate": #"DPoP algs="ES256""#]))
        _ = try await client.send(URLRequest(url: URL(string: url)!))
        #expect(app.server.seen().last?.proof?["htu"] == expected)
    }

    @Test("Code that sends its own requests gets the headers for each, and a refreshed token or the nonce after a 401")
    func headers() async throws {
        let client = try await app.signedIn()
        let url = try #require(app.request().url)
        let first = try await client.headers(for: "POST", url)
        #expect(Set(first.keys) == ["Authorization", "DPoP"] && first["Authorization"] == "DPoP access1")
        let nonce = try await client.headers(for: "POST", url, replacing: first, nonce: "n")
        #expect(nonce["Authorization"] == "DPoP access1" && app.server.seen("refresh").isEmpty)
        let second = try await client.headers(for: "POST", url, replacing: first)
        #expect(second["Authorization"] == "DPoP access2")
        let late = try await client.headers(for: "POST", url, replacing: first)
        #expect(late["Authorization"] == "DPoP access2")
        for headers in [first, nonce, second, late] {
            var request = app.request("/own", "POST")
            request.url = url
            request.allHTTPHeaderFields = headers
            _ = try await app.server.send(request)
        }
        #expect(app.server.seen("notes").map { $0.proof?["nonce"] } == [nil, "n", "n", "n"])
        #expect(app.server.faults == [])
        let other = try #require(URL(string: "https://other.example.com/"))
        await #expect(throws: GatehouseError.self) { try await client.headers(for: "GET", other) }

        app.server.setOld()
        try await client.signIn(development: app.login)
        #expect(try await client.headers(for: "GET", url).keys.sorted() == ["Authorization"])
    }

    @Test("Another trusted origin gets the token as before, and proofs once it has demanded them")
    func trustedOrigin() async throws {
        _ = try await app.signedIn()
        let client = app.client(trustedOrigins: [URL(string: "https://files.example.com")!])
        let request = app.request("https://files.example.com/notes")
        _ = try await client.send(request)
        #expect(try await client.headers(for: "GET", request.url!) == ["Authorization": "Bearer access1"])
        app.server.plan("notes", .answer(401, headers: ["WWW-Authenticate": #"DPoP algs="ES256""#]))
        for _ in 0..<2 { #expect(try await client.send(request).1.statusCode == 200) }
        let schemes = app.server.seen("notes").map(\.authorization)
        #expect(schemes == ["Bearer access1", "Bearer access1", "DPoP access1", "DPoP access1"])
        #expect(app.server.seen("refresh").isEmpty && app.server.faults == [])

        let other = app.client(trustedOrigins: [URL(string: "https://files.example.com")!])
        let refused = try await other.headers(for: "GET", request.url!)
        let headers = try await other.headers(for: "GET", request.url!, replacing: refused, challenge: "DPoP")
        #expect(headers["Authorization"] == "DPoP access1" && headers["DPoP"] != nil)
    }

    @Test("A logout whose key cannot be used now blocks no later one")
    func blockedLogout() async throws {
        let client = try await app.signedIn()
        app.keys.failToSign(.failed("of today"))
        #expect(await client.signOut() == .queued)
        try await client.signIn(development: app.login)
        #expect(await client.signOut() == .queued)
        #expect(app.server.seen("logout").count == 1)
        app.keys.failToSign(nil)
        #expect(await client.deliverLogouts())
        #expect(app.server.seen("logout").count == 2 && app.store.contents == nil)
    }

    // MARK: The end of the key

    @Test("A key is gone with its session: signed out, ended by the server, or replaced by another login")
    func deletion() async throws {
        let client = try await app.signedIn()
        let first = app.keys.names
        try await client.signIn(development: app.login)
        #expect(await client.deliverLogouts())
        #expect(app.keys.names.count == 1 && app.keys.names.isDisjoint(with: first))
        #expect(app.server.seen("logout").first?.proof?.key == app.server.seen("dev-login").first?.proof?.key)

        app.expireToken()
        app.server.plan("refresh", .answer(401, body: FaultyTransport.problem(401, "refresh_token_revoked")))
        await #expect(throws: GatehouseError.signedOut(.refused(.refreshTokenRevoked))) { try await client.user() }
        #expect(app.keys.names == [] && app.store.contents == nil)

        try await client.signIn(development: app.login)
        #expect(await client.signOut() == .delivered)
        #expect(app.keys.names == [] && app.store.contents == nil)

        try await client.signIn(development: app.login)
        app.server.plan("me", .answer(204))
        try await client.deleteAccount(authorizationCode: nil)
        #expect(app.keys.names == [] && app.store.contents == nil)
        #expect(app.server.faults == [])
    }

    @Test("After signing out without a network, the key is kept until the logout has been delivered")
    func offlineSignOut() async throws {
        let client = try await app.signedIn()
        app.server.setOffline(true)
        #expect(await client.signOut() == .queued)
        #expect(app.keys.names.count == 1)
        app.server.setOffline(false)
        let restarted = app.client()
        #expect(try await restarted.restore() == .signedOut(nil))
        #expect(await restarted.deliverLogouts())
        let logouts = app.server.seen("logout")
        #expect(Set(logouts.map { $0.proof?.key }) == [app.server.seen("dev-login").first?.proof?.key])
        #expect(logouts.allSatisfy { $0.authorization == nil })
        #expect(app.keys.names == [] && app.store.contents == nil && app.server.faults == [])
    }

    @Test("A logout that the server refuses for its key, or whose key is gone, cannot be delivered and is dropped")
    func logoutWithoutKey() async throws {
        let client = try await app.signedIn()
        app.server.plan("logout", .refuse("key"))
        #expect(await client.signOut() == .delivered)
        try await client.signIn(development: app.login)
        app.server.setOffline(true)
        await client.signOut()
        app.server.setOffline(false)
        app.keys.loseAll()
        let restarted = app.client()
        try await restarted.restore()
        #expect(await restarted.deliverLogouts())
        #expect(app.store.contents == nil)
    }

    /// A login that has reached the server, which does not answer it before the gate opens.
    private func heldLogin(of client: GatehouseClient, at gate: Gate) async -> Task<Session, any Error> {
        app.server.plan("dev-login", .hold(gate))
        let login = Task { try await client.signIn(development: app.login) }
        await gate.arrival()
        return login
    }

    @Test("Of two logins at once, the session that is kept has its key, and no other key is left")
    func twoLogins() async throws {
        let client = app.client()
        let gate = Gate()
        let first = await heldLogin(of: client, at: gate)
        try await client.signIn(development: app.login)
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await first.value }
        #expect(await client.deliverLogouts())
        #expect(app.server.seen("logout").map(\.body) == [["refreshToken": "refresh2"]])
        _ = try await app.client().user()
        #expect(await client.signOut() == .delivered)
        #expect(app.keys.names == [] && app.store.contents == nil && app.server.faults == [])
    }

    @Test("A login that is answered after the session of another login has ended still has its key for its logout")
    func lateLogin() async throws {
        let client = app.client()
        let gate = Gate()
        let first = await heldLogin(of: client, at: gate)
        try await client.signIn(development: app.login)
        #expect(await client.signOut() == .delivered)
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await first.value }
        #expect(try await Eventually.becomesTrue { app.server.seen("logout").count == 2 })
        #expect(await client.deliverLogouts())
        #expect(app.server.seen("logout").allSatisfy { $0.proof != nil })
        #expect(app.keys.names == [] && app.store.contents == nil)
    }

    // MARK: Unbound sessions

    @Test("A session of a server that knows no proofs is unbound, and its key is deleted")
    func oldServer() async throws {
        app.server.setOld()
        let client = try await app.signedIn()
        #expect(app.keys.names == [] && app.keys.made == 1)
        _ = try await client.send(app.request())
        #expect(app.server.seen("notes").first?.authorization == "Bearer access1")
        #expect(app.server.seen("notes").first?.proof == nil)
    }

    @Test("A session that an earlier version of the library has stored stays unbound until the next login")
    func storedByEarlierVersion() async throws {
        let stored = """
            {"version":1,"logouts":[{"accessToken":"a","refreshToken":"old","everywhere":false,"user":"user_1"}],
            "session":{"login":"\(UUID().uuidString)","refreshes":3,"user":\(BoundServer.user),"tokens":
            {"accessToken":"a","refreshToken":"r","expiresIn":900,"receivedAt":0}}}
            """
        app.store.replace(Data(stored.utf8))
        let client = app.client()
        guard case .signedIn = try await client.restore() else { return #expect(Bool(false), "\(client.state)") }
        _ = try await client.user()
        #expect(await client.loginProvider == nil)
        #expect(await client.deliverLogouts())
        #expect(app.server.seen().count == 3 && app.server.seen().allSatisfy { $0.proof == nil })
        try await client.signIn(development: app.login)
        #expect(app.server.seen("dev-login").last?.proof != nil && app.keys.names.count == 1)
    }

    @Test("Without keys, or with the binding turned off, a login is not bound; a bound session stays so")
    func turnedOff() async throws {
        _ = try await app.signedIn()
        let off = app.client(.keys(app.keys, bindsLogins: false))
        _ = try await off.user()
        #expect(app.server.seen("me").last?.proof != nil)
        try await off.signIn(development: app.login)
        #expect(await off.deliverLogouts())
        _ = try await off.user()
        #expect(app.server.seen("dev-login").last?.proof == nil && app.server.seen("me").last?.proof == nil)
        #expect(app.keys.names == [])
        for binding in [SessionBinding.automatic, .off] {
            try await app.client(binding).signIn(development: app.login)
            #expect(app.server.seen("dev-login").last?.proof == nil)
        }
    }

    @Test("The keys of the store are used without another setting")
    func keysOfStore() async throws {
        struct Store: SessionStore {
            let sessions: FaultyStore
            let deviceKeys: (any DeviceKeyStore)?
            func load() throws(StoreUnavailable) -> Data? { try sessions.load() }
            func save(_ contents: Data?) throws(StoreUnavailable) { try sessions.save(contents) }
        }
        let store = Store(sessions: app.store, deviceKeys: app.keys)
        let client = GatehouseClient(BoundAppFixture.url, store: store, transport: app.server)
        try await client.signIn(development: app.login)
        #expect(app.server.seen("dev-login").first?.proof != nil && app.keys.names.count == 1)
        let off = GatehouseClient(BoundAppFixture.url, store: store, transport: app.server, binding: .off)
        _ = try await off.user()
        try await off.signIn(development: app.login)
        #expect(app.server.seen("me").last?.proof != nil && app.server.seen("dev-login").last?.proof == nil)
    }

    @Test(
        "A key that cannot be made, saved or used keeps no user from signing in, and is reported", arguments: [0, 1, 2])
    func brokenKeys(fault: Int) async throws {
        let failure = StoreUnavailable.failed("OSStatus -34018")
        switch fault {
        case 0: app.keys.fail(failure)
        case 1: app.keys.failToSign(failure)
        default: app.store.fail(save: failure)
        }
        let client = app.client()
        var failures = client.storeFailures.makeAsyncIterator()
        let session = try await client.signIn(development: app.login)
        #expect(await failures.next() == failure)
        #expect(client.state == .signedIn(session))
        #expect(app.server.seen("dev-login").first?.proof == nil)
        app.keys.fail(nil)
        app.keys.failToSign(nil)
        app.store.fail()
        #expect(try await Eventually.becomesTrue { app.store.contents != nil })
        _ = try await client.user()
        #expect(await client.signOut() == .delivered)
        #expect(try await Eventually.becomesTrue { app.keys.names == [] && app.store.contents == nil })
    }
}
