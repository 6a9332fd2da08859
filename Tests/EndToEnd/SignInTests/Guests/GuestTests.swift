import Gatehouse
import JSON
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// A server with guests.
struct GuestFixture {
    let codes: CodeFixture
    let server: InProcessServer

    init(_ access: String = "bound", _ adjust: @escaping (inout [String: String]) -> Void = { _ in }) throws {
        codes = try CodeFixture { variables in
            variables["GUESTS"] = access
            adjust(&variables)
        }
        server = try #require(codes.server as? InProcessServer)
    }

    func guest(key: String? = nil, _ members: JSONObject = [:], from address: String? = nil) throws -> TestResponse {
        var request = TestRequest.post("/api/auth/guest", members)
        if let address { request.headers.append(("Test-Address", address)) }
        return server.send(try key.map { try request.proven(by: $0, at: server) } ?? request.sentAgain)
    }

    /// The answer of the guard, at a location for guests or at another one.
    func guarded(_ login: TestResponse, admits: String? = nil) -> String {
        var request = TestRequest.get("/api/auth/verify", bearer: login.accessToken)
        request.admittedGuests = admits
        return codes.refusal(server.send(request))
    }

    func link(
        _ provider: String, _ body: JSONObject, to login: TestResponse, key: String? = nil, joins: Bool = false
    ) throws -> TestResponse {
        var body = body
        if joins { (body["onTaken"], body["refreshToken"]) = ("join", login["refreshToken"]) }
        let request = TestRequest.post("/api/users/me/accounts/\(provider)", body, bearer: login.accessToken)
        return server.send(try key.map { try request.proven(by: $0, at: server) } ?? request)
    }

    func refreshed(_ login: TestResponse, key: String? = nil) throws -> TestResponse {
        let request = TestRequest.refresh(login.refreshToken)
        return server.send(try key.map { try request.proven(by: $0, at: server) } ?? request)
    }

    /// What services are told, once this is called.
    func recordEvents() throws {
        try server.testDatabase.execute(
            "INSERT INTO event_receivers (name, types, seen_at) VALUES ('r', '*', 1)")
    }

    func events(of user: String) throws -> [String] {
        try server.testDatabase.connection().all(
            "SELECT type, coalesce(detail, '') FROM events WHERE user_id = '\(user)' ORDER BY number"
        ) { row in "\(row.text(0)) \(row.text(1))" }
    }

    func count(_ event: String) throws -> String? {
        let prefix = "gatehouse_guests_total{event=\"\(event)\"} "
        let metrics = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self)
        return metrics.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}

extension TestResponse {
    var isGuest: JSONValue? { self["user"]?.object?["guest"] }
}

@Suite("Guests")
struct GuestTests {
    @Test("A guest has no account, which user and token say, and uses the API, also where numbers are required")
    func life() throws {
        let fixture = try GuestFixture("open") { $0["PHONE_BINDING"] = "required" }
        try fixture.recordEvents()
        let login = try fixture.guest(["nickname": "Ada"])
        #expect(login.status == 200 && login["isNewUser"] == true && login.isGuest == true, "\(login.json)")
        #expect(login.accessClaims["guest"] == true && login.accessClaims["phone_required"] == nil)
        #expect(try fixture.server.me(login.accessToken)["guest"] == true)
        let next = try fixture.refreshed(login)
        #expect(next.accessClaims["guest"] == true)
        let accounts = fixture.server.send(.get("/api/users/me/accounts", bearer: next.accessToken))
        #expect(accounts["accounts"] == [])
        let export = fixture.server.send(.get("/api/users/me/export", bearer: next.accessToken))
        #expect(export["user"]?.object?["guest"] == true)
        #expect(!export.json.description.contains("guestKey"))
        #expect(fixture.server.send(.patchUser("Eve", bearer: next.accessToken))["nickname"] == "Eve")
        #expect(try fixture.server.delete("/api/users/me", next).status == 204)
        #expect(try fixture.refreshed(next).status == 401)
        #expect(
            try fixture.events(of: login.userID) == ["user.created GUEST", "user.updated nickname", "user.deleted "])
    }

    @Test("The guard refuses a guest unless the location says that guests pass, and tells the service of one")
    func guarded() throws {
        let fixture = try GuestFixture("open")
        let login = try fixture.guest()
        for admits in [nil, "", "off", "On", "on ", "yes", "1"] as [String?] {
            #expect(fixture.guarded(login, admits: admits) == "403 guest")
        }
        var request = TestRequest.get("/api/auth/verify", bearer: login.accessToken)
        request.admittedGuests = "on"
        let passed = fixture.server.send(request)
        #expect(passed.status == 204 && passed.header("x-user-guest") == "true")
        request.demandedRole = "ADMIN"
        #expect(fixture.server.send(request).status == 403)
        let user = try fixture.server.devLogin("user@example.com")
        request = .get("/api/auth/verify", bearer: user.accessToken)
        request.admittedGuests = "on"
        #expect(fixture.server.send(request).header("x-user-guest") == nil)
        #expect(fixture.guarded(user) == "204")
        let forged = try ForgedToken.accessToken(like: login.accessToken, role: "ADMIN")
        #expect(fixture.server.send(.get("/api/auth/verify", bearer: forged)).status == 403)
    }

    @Test("Without the setting there are no guests, and a guest of before goes on")
    func off() throws {
        let none = try GuestFixture("off")
        #expect(try none.codes.refusal(none.guest()) == "404 unknown_provider")
        #expect(try none.codes.refusal(none.guest(key: "k:P-256")) == "404 unknown_provider")
        let fixture = try GuestFixture("open")
        let login = try fixture.guest()
        try fixture.server.restart { $0["GUESTS"] = nil }
        #expect(try fixture.guest().status == 404)
        #expect(try fixture.refreshed(login).accessClaims["guest"] == true)
    }

    @Test("Bound, a guest needs a key; the same key is the same guest, and another one is another")
    func bound() throws {
        let fixture = try GuestFixture()
        expectRefusedProof(try fixture.guest(), "missing")
        let (key, other) = ("guest-1:P-256", "guest-2:P-256")
        let login = try fixture.guest(key: key)
        #expect(login["tokenType"] == "DPoP" && login["isNewUser"] == true, "\(login.json)")
        #expect(try fixture.refreshed(login).code == "invalid_dpop_proof")
        let again = try fixture.guest(key: key)
        #expect(again.userID == login.userID && again["isNewUser"] == false && again.isGuest == true)
        #expect(try fixture.refreshed(login, key: key).status == 200, "the first session goes on")
        #expect(try fixture.guest(key: other).userID != login.userID)
        #expect(try fixture.count("made") == "2")
    }

    @Test("A proof makes one guest: sent again, it is refused, and at once by several requests, one of them counts")
    func replay() throws {
        let fixture = try GuestFixture()
        let request = try TestRequest.post("/api/auth/guest", [:]).proven(by: "replayed:P-256", at: fixture.server)
        #expect(fixture.server.send(request).status == 200)
        expectRefusedProof(fixture.server.send(request.sentAgain), "replayed")
        let answers = try Concurrently.run(4) { _ in try fixture.guest(key: "raced:P-256") }
        #expect(Set(answers.map(\.userID)).count == 1, "\(answers.map(\.json))")
        #expect(answers.filter { $0["isNewUser"] == true }.count == 1)
    }

    @Test("A key whose guest has become a user, or is deleted, makes a new guest; that of a disabled one is refused")
    func formerKeys() throws {
        let fixture = try GuestFixture()
        let key = "former:P-256"
        let first = try fixture.guest(key: key)
        let apple = fixture.server.apple.login("former")
        #expect(try fixture.link("apple", apple, to: first, key: key).status == 200)
        let second = try fixture.guest(key: key)
        #expect(second["isNewUser"] == true && second.userID != first.userID)
        let deletion = TestRequest(
            method: "DELETE", path: "/api/users/me",
            headers: [("Authorization", "Bearer \(second.accessToken)")])
        #expect(try fixture.server.send(deletion.proven(by: key, at: fixture.server)).status == 204)
        let third = try fixture.guest(key: key)
        #expect(third["isNewUser"] == true && third.userID != second.userID)
        try fixture.server.testDatabase.execute(
            "UPDATE users SET status = 'DISABLED' WHERE id = '\(third.userID)'")
        #expect(try fixture.codes.refusal(fixture.guest(key: key)) == "403 user_disabled")
    }

    @Test("A client, and its network, make as many guests as they may ask for codes; a known guest is not counted")
    func limits() throws {
        let fixture = try GuestFixture("open") { variables in
            variables["CODES_PER_CLIENT"] = "2/1h"
            variables["CODES_PER_NETWORK"] = "3/1h"
        }
        for index in 1...2 { #expect(try fixture.guest(key: "\(index):P-256", from: "192.0.2.1").status == 200) }
        let refused = try fixture.guest(key: "3:P-256", from: "192.0.2.1")
        #expect(refused.status == 429 && refused.code == "too_many_guests", "\(refused.json)")
        #expect(refused.header("retry-after").flatMap(Int.init).map { (3500...3600).contains($0) } == true)
        #expect(try fixture.guest(key: "1:P-256", from: "192.0.2.1").status == 200, "a guest who is known")
        #expect(try fixture.guest(key: "3:P-256", from: "192.0.2.9").status == 200)
        #expect(try fixture.guest(key: "4:P-256", from: "192.0.2.10").code == "too_many_guests", "the network")
        #expect(try fixture.guest(key: "4:P-256", from: "198.51.100.1").status == 200)
        #expect(try fixture.codes.ask(fixture.codes.newNumber(), from: "192.0.2.1").status == 202, "of codes")
        fixture.server.advanceClock(by: .seconds(3601))
        #expect(try fixture.guest(from: "192.0.2.1").status == 200)
    }
}
