import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The passkeys of a user")
struct OwnPasskeysTests {
    private let fixture: PasskeyFixture

    init() throws {
        fixture = try PasskeyFixture()
    }

    private func delete(_ path: String, _ login: TestResponse) throws -> TestResponse {
        try fixture.server.send(
            TestRequest(
                method: "DELETE", path: path, headers: [("Authorization", "Bearer " + login.accessToken)]))
    }

    private func rename(_ id: String, _ body: JSONObject, _ login: TestResponse) throws -> TestResponse {
        var request = TestRequest.post("/api/users/me/passkeys/\(id)", body, bearer: login.accessToken)
        request.method = "PATCH"
        return try fixture.server.send(request)
    }

    @Test("A user adds a passkey, signs in by it as the same user, renames it, and deletes it")
    func lifeCycle() throws {
        let login = try fixture.server.devLogin("ann@example.com", nickname: "Ann")
        let list = try fixture.server.send(.get("/api/users/me/passkeys", bearer: login.accessToken))
        #expect(list["rpId"] == "example.com" && list["user"] == .null && list["passkeys"] == [])
        var (device, added) = try fixture.add(to: login)
        #expect(added.status == 200 && added["credentialId"]?.string == device.passkeys.first?.name, "\(added.json)")
        #expect(try fixture.logIn(&device).userID == login.userID)
        let id = try #require(added["id"]?.string)
        #expect(id.wholeMatch(of: /passkey_[0-9A-Z]{26}/) != nil)
        #expect(try rename(id, ["name": " Old phone "], login)["name"] == "Old phone")
        #expect(try fixture.refusal(rename(id, [:], login)) == "400 invalid_request")
        #expect(try rename(id, ["name": nil], login)["name"] == .null)
        let user = try fixture.server.send(.get("/api/users/me/passkeys", bearer: login.accessToken))["user"]
        let options = try fixture.options("/api/users/me/passkeys", bearer: login.accessToken)
        #expect(user != nil && user == options["publicKey"]?.object?["user"])
        #expect(try delete("/api/users/me/passkeys/\(id)", login).status == 204)
        #expect(try fixture.refusal(delete("/api/users/me/passkeys/\(id)", login)) == "404 not_found")
        #expect(try fixture.refusal(fixture.logIn(&device)) == "401 invalid_passkey unknown")
    }

    @Test("The first passkey links the account, the last one unlinks it and ends what passkeys have opened")
    func account() throws {
        let login = try fixture.server.devLogin("ann@example.com")
        var (first, _) = try fixture.add(to: login)
        let (second, _) = try fixture.add(to: login)
        #expect(first.passkeys[0].name != second.passkeys[0].name)
        #expect(try fixture.accounts(of: login).map { $0["provider"] } == ["DEV", "PASSKEY"])
        let opened = try fixture.logIn(&first)
        let ids = try fixture.passkeys(of: login).compactMap { $0["id"]?.string }
        #expect(try delete("/api/users/me/passkeys/\(ids[0])", login).status == 204)
        #expect(try fixture.server.me(opened.accessToken).status == 200)
        #expect(try fixture.accounts(of: login).count == 2)
        #expect(try delete("/api/users/me/passkeys/\(ids[1])", login).status == 204)
        #expect(try fixture.refusal(fixture.server.me(opened.accessToken)) == "401 session_revoked")
        #expect(try fixture.accounts(of: login).map { $0["provider"] } == ["DEV"])
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))
        let kinds = export["events"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        let expected = ["account_linked": 1, "account_unlinked": 1, "passkey_added": 2, "passkey_removed": 2]
        for (kind, count) in expected { #expect(kinds.filter { $0 == kind }.count == count, "\(kind)") }
    }

    @Test("The last way to sign in stays, as a passkey and as the account of all passkeys")
    func last() throws {
        let (_, login) = try fixture.newUser()
        let id = try #require(fixture.passkeys(of: login).first?["id"]?.string)
        #expect(try fixture.refusal(delete("/api/users/me/passkeys/\(id)", login)) == "409 last_account")
        #expect(try fixture.refusal(delete("/api/users/me/accounts/passkey", login)) == "409 last_account")
        _ = try fixture.add(to: login)
        #expect(try delete("/api/users/me/passkeys/\(id)", login).status == 204)
        #expect(try fixture.passkeys(of: login).count == 1)
    }

    @Test("Unlinking the account removes all passkeys, and a sign-in that has begun creates no user")
    func unlink() throws {
        let login = try fixture.server.devLogin("ann@example.com")
        var (device, _) = try fixture.add(to: login)
        let waiting = try fixture.signIn(&device)
        #expect(try delete("/api/users/me/accounts/passkey", login).status == 204)
        #expect(try fixture.refusal(fixture.server.send(waiting)) == "401 invalid_passkey unknown")
        #expect(try fixture.inProcess.testDatabase.number("SELECT count(*) FROM passkeys") == 0)
        #expect(try fixture.inProcess.testDatabase.number("SELECT count(*) FROM users") == 1)
        #expect(try fixture.add(to: login).answer.status == 200)
    }

    @Test("A passkey of another user is not there")
    func foreign() throws {
        let (_, owner) = try fixture.newUser()
        let (_, other) = try fixture.newUser()
        let id = try #require(fixture.passkeys(of: owner).first?["id"]?.string)
        #expect(try fixture.refusal(rename(id, ["name": "mine"], other)) == "404 not_found")
        #expect(try fixture.refusal(delete("/api/users/me/passkeys/\(id)", other)) == "404 not_found")
        #expect(try fixture.passkeys(of: owner).first?["name"] == .null)
    }

    @Test("The options belong to the user who asked, and to registrations")
    func boundToUser() throws {
        let ann = try fixture.server.devLogin("ann@example.com")
        let eve = try fixture.server.devLogin("eve@example.com")
        var device = SoftwareAuthenticator()
        var request = try fixture.addition(&device, to: ann)
        let stolen = request
        request.headers = TestRequest.post("/", [:], bearer: eve.accessToken).headers
        #expect(try fixture.refusal(fixture.server.send(request)) == "422 invalid_passkey challenge")
        #expect(try fixture.refusal(fixture.server.send(stolen)) == "422 invalid_passkey challenge")
        var signUp = try fixture.addition(&device, to: ann)
        signUp.path = "/api/auth/passkey/signup"
        #expect(try fixture.refusal(fixture.server.send(signUp)) == "401 invalid_passkey challenge")
        #expect(try fixture.passkeys(of: ann).isEmpty && fixture.passkeys(of: eve).isEmpty)
    }

    @Test("Adding and deleting need a login of at most an hour, renaming does not")
    func recentLogin() throws {
        let fixture = try PasskeyFixture { $0["ACCESS_TOKEN_TTL"] = "2h" }
        let login = try fixture.server.devLogin("ann@example.com")
        let id = try #require(fixture.add(to: login).answer["id"]?.string)
        var device = SoftwareAuthenticator()
        let waiting = try fixture.addition(&device, to: login)
        fixture.inProcess.advanceClock(by: .seconds(3601))
        let options = try fixture.options("/api/users/me/passkeys", bearer: login.accessToken)
        #expect(fixture.refusal(options) == "401 login_too_old")
        #expect(try fixture.refusal(fixture.server.send(waiting)) == "401 login_too_old")
        var request = TestRequest.post("/api/users/me/passkeys/\(id)", ["name": "x"], bearer: login.accessToken)
        request.method = "PATCH"
        #expect(try fixture.server.send(request).status == 200)
        request.method = "DELETE"
        for path in [request.path, "/api/users/me/accounts/passkey"] {
            request.path = path
            #expect(try fixture.refusal(fixture.server.send(request)) == "401 login_too_old")
        }
    }

    @Test("A user has twenty passkeys at most, also if many are added at the same moment at two nodes")
    func limit() throws {
        let server = fixture.inProcess
        let other = try InProcessServer(beside: server)
        let login = try fixture.server.devLogin("ann@example.com")
        for _ in 0..<16 { #expect(try fixture.add(to: login).answer.status == 200) }
        let requests = try (0..<8).map { _ in
            var device = SoftwareAuthenticator()
            return try fixture.addition(&device, to: login)
        }
        let answers = try Concurrently.run(8) { index in (index % 2 == 0 ? server : other).send(requests[index]) }
        #expect(answers.filter { $0.status == 200 }.count == 4)
        #expect(Set(answers.filter { $0.status != 200 }.map(fixture.refusal)) == ["409 too_many_passkeys"])
        let options = try fixture.options("/api/users/me/passkeys", bearer: login.accessToken)
        #expect(fixture.refusal(options) == "409 too_many_passkeys")
    }

    @Test("Two first passkeys at the same moment have one handle, and both sign in")
    func firstTwo() throws {
        let login = try fixture.server.devLogin("ann@example.com")
        var devices = [SoftwareAuthenticator(), SoftwareAuthenticator()]
        let requests = try devices.indices.map { try fixture.addition(&devices[$0], to: login) }
        let answers = try Concurrently.run(2) { try fixture.server.send(requests[$0]) }
        #expect(answers.map(\.status) == [200, 200])
        for index in devices.indices { #expect(try fixture.logIn(&devices[index]).userID == login.userID) }
    }

    @Test("A credential that a user has is no second one's, and authenticators are told which there are")
    func excluded() throws {
        let login = try fixture.server.devLogin("ann@example.com")
        var (device, _) = try fixture.add(to: login)
        let options = try fixture.options("/api/users/me/passkeys", bearer: login.accessToken)
        let excluded = options["publicKey"]?.object?["excludeCredentials"]?.array?.first?.object
        #expect(excluded?["id"]?.string == device.passkeys.first?.name)
        #expect(excluded?["transports"]?.array?.contains("hybrid") == true)
        #expect(throws: PasskeyError.excluded) { try fixture.addition(&device, to: login) }
    }

    @Test("Passkeys move with the accounts of a user who joins another one")
    func join() throws {
        let number = fixture.codes.newNumber()
        let owner = try fixture.codes.logIn(fixture.codes.code(number))
        fixture.inProcess.advanceClock(by: .seconds(61))
        var (device, new) = try fixture.newUser()
        let joined = try fixture.codes.bind(fixture.codes.code(number), to: new, ["onTaken": "join"])
        #expect(joined.userID == owner.userID, "\(joined.json)")
        #expect(try fixture.logIn(&device).userID == owner.userID)
        #expect(try fixture.passkeys(of: joined).count == 1)
    }

    @Test("The owner of a verified address is told of each new passkey, and services of the account")
    func told() throws {
        let mail = "ann@example.com"
        let login = try fixture.codes.logIn(fixture.codes.code(mail, channel: "email"))
        let last = fixture.codes.providers.inbox.lastNumber
        for _ in 0..<2 { #expect(try fixture.add(to: login).answer.status == 200) }
        let notices = fixture.codes.providers.inbox.messages.filter { $0.number > last && $0.to == mail }
        #expect(
            notices.map(\.subject) == Array(repeating: "A passkey was added to your Gatehouse account", count: 2))
    }

    @Test("An export has all that is kept of a passkey")
    func export() throws {
        let (device, login) = try fixture.newUser(counting: 5)
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))
        let passkey = export["passkeys"]?.array?.first?.object
        #expect(passkey?["credentialId"]?.string == device.passkeys.first?.name)
        #expect(passkey?["algorithm"] == -7 && passkey?["signCount"] == 5 && passkey?["backedUp"] == true)
        #expect(passkey?["publicKey"]?.string?.isEmpty == false)
        #expect(passkey?["transports"] == ["hybrid", "internal"])
    }

    @Test("A user who needs a phone number first adds no passkey, and a bound session proves its key")
    func access() throws {
        let fixture = try PasskeyFixture { $0["PHONE_BINDING"] = "required" }
        let login = try fixture.server.devLogin("ann@example.com")
        let options = try fixture.options("/api/users/me/passkeys", bearer: login.accessToken)
        #expect(fixture.refusal(options) == "403 phone_required")
        let bound = try BoundClient(at: self.fixture.server, "eve@example.com")
        let path = "/api/users/me/passkeys/options"
        let refused = try self.fixture.options("/api/users/me/passkeys", bearer: bound.tokens.accessToken)
        #expect(refused.code == "invalid_dpop_proof")
        let request = TestRequest.post(path, bearer: bound.tokens.accessToken)
        #expect(try bound.send(request).status == 200)
    }
}
