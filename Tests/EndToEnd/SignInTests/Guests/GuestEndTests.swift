import Gatehouse
import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The end of being a guest")
struct GuestEndTests {
    private let fixture: GuestFixture
    private var server: InProcessServer { fixture.server }

    init() throws {
        fixture = try GuestFixture("open") { $0["CODES_PER_ADDRESS"] = "100/1h" }
    }

    private func expectUser(_ login: TestResponse, by provider: String) throws {
        #expect(try server.me(login.accessToken)["guest"] == false)
        #expect(fixture.guarded(login) == "204", "the token of before counts as the user's")
        let next = try fixture.refreshed(login)
        #expect(next.accessClaims["guest"] == nil && next.accessClaims["sub"] == .string(login.userID))
        #expect(try fixture.events(of: login.userID) == ["account.linked \(provider)"] + updates(provider))
        #expect(try fixture.count("became_user") == "1")
    }

    private func updates(_ provider: String) -> [String] {
        switch provider {
        case "PHONE": ["user.updated phone guest"]
        case "EMAIL": ["user.updated email emailVerified guest"]
        default: ["user.updated guest"]
        }
    }

    @Test("Each kind of account makes a user of the guest, with the same id and the same session")
    func accounts() throws {
        for provider in ["APPLE", "PHONE", "EMAIL"] {
            let fixture = try GuestEndTests()
            let login = try fixture.fixture.guest()
            try fixture.fixture.recordEvents()
            let codes = fixture.fixture.codes
            let answer =
                switch provider {
                case "APPLE": try fixture.fixture.link("apple", fixture.server.apple.login("guest"), to: login)
                case "PHONE": try codes.bind(codes.code(codes.newNumber()), to: login)
                default:
                    try codes.bind(codes.code("g@example.com", channel: "email"), to: login, channel: "email")
                }
            #expect(answer.status == 200, "\(answer.json)")
            try fixture.expectUser(login, by: provider)
        }
    }

    @Test("A passkey makes a user of the guest, also where changes demand a recent and a strong login")
    func passkey() throws {
        let passkeys = try PasskeyFixture { variables in
            variables["GUESTS"] = "open"
            variables["SENSITIVE_MAX_AGE"] = "10m"
            variables["SENSITIVE_ACR"] = "urn:gatehouse:2"
        }
        let login = try passkeys.server.send(.post("/api/auth/guest", [:]))
        (passkeys.server as? InProcessServer)?.advanceClock(by: .seconds(800))
        var device = SoftwareAuthenticator()
        let answer = try passkeys.server.send(passkeys.addition(&device, to: login))
        #expect(answer.status == 200, "\(answer.json)")
        #expect(try passkeys.server.me(login.accessToken)["guest"] == false)
        #expect(try passkeys.server.verify(login.accessToken).status == 204)
    }

    @Test("A user who was a guest needs a recent login again, also with the token of before")
    func recentLogin() throws {
        let fixture = try GuestFixture("open") { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = try fixture.guest()
        fixture.server.advanceClock(by: .seconds(800))
        #expect(try fixture.link("apple", fixture.server.apple.login("recent"), to: login).status == 200)
        let codes = fixture.codes
        #expect(try codes.refusal(codes.bind(codes.code(codes.newNumber()), to: login)) == "401 login_too_old")
        #expect(try codes.refusal(fixture.server.delete("/api/users/me", login)) == "401 login_too_old")
        let other = try fixture.guest()
        fixture.server.advanceClock(by: .seconds(800))
        #expect(try fixture.server.delete("/api/users/me", other).status == 204, "a guest cannot log in again")
    }

    @Test("So does another node, before it knows that the guest has become a user")
    func recentLoginAtAnotherNode() throws {
        let fixture = try GuestFixture("open") { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = try fixture.guest()
        fixture.server.advanceClock(by: .seconds(800))
        let other = try InProcessServer(beside: fixture.server)
        #expect(try fixture.link("apple", fixture.server.apple.login("elsewhere"), to: login).status == 200)
        for path in ["/api/users/me/accounts/apple", "/api/users/me/accounts/email", "/api/users/me"] {
            #expect(try fixture.codes.refusal(other.delete(path, login)) == "401 login_too_old", "\(path)")
        }
    }

    @Test("Where numbers are required, the user who was a guest needs one, also with the token of before")
    func phone() throws {
        let fixture = try GuestFixture("open") { $0["PHONE_BINDING"] = "required" }
        let login = try fixture.guest()
        #expect(fixture.guarded(login, admits: "on") == "204")
        #expect(try fixture.link("apple", fixture.server.apple.login("phone"), to: login).status == 200)
        #expect(fixture.guarded(login, admits: "on") == "403 phone_required")
        #expect(fixture.guarded(try fixture.refreshed(login)) == "403 phone_required")
        let codes = fixture.codes
        #expect(try codes.bind(codes.code(codes.newNumber()), to: login).status == 200)
        #expect(fixture.guarded(login) == "204")
    }

    @Test("Another node knows it within its next look at the log")
    func otherNode() throws {
        let login = try fixture.guest()
        let other = try InProcessServer(beside: server)
        #expect(other.send(.get("/api/auth/verify", bearer: login.accessToken)).header("x-problem-code") == "guest")
        #expect(try fixture.link("apple", server.apple.login("node"), to: login).status == 200)
        #expect(
            try Eventually.holds {
                try other.runMaintenance()
                return other.send(.get("/api/auth/verify", bearer: login.accessToken)).status == 204
            })
    }

    // MARK: - Joins

    @Test("An account of another user is refused, and with onTaken join the guest becomes that user")
    func join() throws {
        try fixture.recordEvents()
        let owner = server.send(.post("/api/auth/apple", server.apple.login("owner")))
        let guest = try fixture.guest(["nickname": "Ada"])
        // Older than a new user may be.
        try server.testDatabase.execute(
            "UPDATE users SET created_at = created_at - 300000000 WHERE id = '\(guest.userID)'")
        let login = try fixture.refreshed(guest)
        let token = server.apple.login("owner")
        let refused = try fixture.link("apple", token, to: login)
        #expect(fixture.codes.refusal(refused) == "409 account_already_linked identity")
        var withoutToken = token
        withoutToken["onTaken"] = "join"
        let thief = try fixture.link("apple", withoutToken, to: login)
        #expect(fixture.codes.refusal(thief) == "409 account_already_linked identity", "without a refresh token")
        let joined = try fixture.link("apple", token, to: login, joins: true)
        #expect(joined.status == 200 && joined.userID == owner.userID && joined.isGuest == false, "\(joined.json)")
        #expect(joined["user"]?.object?["nickname"] == "Ada")
        #expect(try server.me(login.accessToken).code == "session_revoked")
        #expect(try fixture.refreshed(login).status == 401)
        #expect(try server.me(owner.accessToken).status == 200, "the owner's sessions go on")
        #expect(try fixture.events(of: guest.userID) == ["user.created GUEST", "user.deleted \(owner.userID)"])
        #expect(try fixture.count("joined") == "1" && fixture.count("became_user") == "0")
        #expect(try server.refresh(joined.refreshToken).status == 200)
    }

    @Test("A number of another user is joined as well, and joins are for guests alone by other accounts than codes")
    func otherJoins() throws {
        let codes = fixture.codes
        let number = codes.newNumber()
        let owner = try codes.logIn(phone: number)
        let joined = try codes.bind(codes.code(number), to: fixture.guest(), ["onTaken": "join"])
        #expect(joined.userID == owner.userID, "\(joined.json)")
        let apple = server.send(.post("/api/auth/apple", server.apple.login("apple")))
        let user = try codes.logIn(codes.code("new@example.com", channel: "email"))
        let refused = try fixture.link("apple", server.apple.login("apple"), to: user, joins: true)
        #expect(codes.refusal(refused) == "409 account_already_linked identity")
        #expect(try server.me(apple.accessToken).status == 200)
        let administrator = server.send(.post("/api/auth/apple", server.apple.login("boss")))
        try server.testDatabase.execute("UPDATE users SET role = 'ADMIN' WHERE id = '\(administrator.userID)'")
        let guest = try fixture.guest()
        let boss = try fixture.link("apple", server.apple.login("boss"), to: guest, joins: true)
        #expect(codes.refusal(boss) == "409 account_already_linked identity")
        #expect(try server.me(guest.accessToken)["guest"] == true)
    }

    @Test("A bound guest joins with a proof of the key alone, and the new session has the key")
    func boundJoin() throws {
        let fixture = try GuestFixture()
        let owner = fixture.server.send(.post("/api/auth/apple", fixture.server.apple.login("bound")))
        let key = "joining:P-256"
        let guest = try fixture.guest(key: key)
        let token = fixture.server.apple.login("bound")
        #expect(try fixture.link("apple", token, to: guest, joins: true).code == "invalid_dpop_proof")
        let joined = try fixture.link("apple", token, to: guest, key: key, joins: true)
        #expect(joined.userID == owner.userID && joined["tokenType"] == "DPoP", "\(joined.json)")
        #expect(try fixture.refreshed(joined).code == "invalid_dpop_proof")
        #expect(try fixture.refreshed(joined, key: key).status == 200)
    }

    @Test("Services are told of the device of a guest who joins if the owner never had such a one, as of a login")
    func device() throws {
        try fixture.recordEvents()
        let agents = [("same", "Example/1.1 (iPhone15,3; iOS 18.0)"), ("new", "Example/1.0 (Pixel 9; Android 16)")]
        for (name, agent) in agents {
            var login = TestRequest.post("/api/auth/apple", server.apple.login(name))
            login.headers.append(("User-Agent", "Example/1.0 (iPhone15,3; iOS 18.0)"))
            let (owner, guest) = (server.send(login), try fixture.guest())
            var body = server.apple.login(name)
            (body["onTaken"], body["refreshToken"]) = ("join", guest["refreshToken"])
            var join = TestRequest.post("/api/users/me/accounts/apple", body, bearer: guest.accessToken)
            join.headers.append(("User-Agent", agent))
            #expect(server.send(join).userID == owner.userID)
            let isTold = try fixture.events(of: owner.userID).contains("device.added APPLE")
            #expect(isTold == (name == "new"), "\(name)")
        }
    }

    // MARK: - Expiry and support

    @Test("A guest who has not come back for GUEST_TTL is deleted, and services are told; others and users stay")
    func expiry() throws {
        let fixture = try GuestFixture("open") { $0["GUEST_TTL"] = "10d" }
        try fixture.recordEvents()
        let (gone, back, linked) = (try fixture.guest(), try fixture.guest(), try fixture.guest())
        let disabled = try fixture.guest()
        try fixture.server.testDatabase.execute(
            "UPDATE users SET status = 'DISABLED' WHERE id = '\(disabled.userID)'")
        #expect(try fixture.link("apple", fixture.server.apple.login("expiry"), to: linked).status == 200)
        fixture.server.advanceClock(by: .seconds(9 * 86_400))
        let next = try fixture.refreshed(back)
        try fixture.server.runMaintenance()
        #expect(try fixture.refreshed(gone).status == 200)
        fixture.server.advanceClock(by: .seconds(10 * 86_400 - 10))
        try fixture.server.runMaintenance()
        fixture.server.advanceClock(by: .seconds(20))
        // The guest who was read a moment ago came back then.
        let last = try fixture.refreshed(next)
        try fixture.server.runMaintenance()
        #expect(last.status == 200 && fixture.guarded(last, admits: "on") == "204")
        #expect(try fixture.events(of: gone.userID).last == "user.deleted ")
        #expect(try fixture.refreshed(linked).status == 200)
        let statuses = try fixture.server.testDatabase.connection().all(
            "SELECT id, status FROM users WHERE guest_key IS NOT NULL ORDER BY id"
        ) { "\($0.text(0)) \($0.text(1))" }
        #expect(Set(statuses) == ["\(back.userID) ACTIVE", "\(disabled.userID) DISABLED"])
        #expect(try fixture.count("expired") == "1")
        let entry = try fixture.server.testDatabase.connection().all(
            "SELECT actor, detail FROM audit_events WHERE kind = 'user_deleted' AND user_id = '\(gone.userID)'"
        ) { "\($0.text(0)) \($0.text(1))" }
        #expect(entry == ["operator expired"])
    }
}
