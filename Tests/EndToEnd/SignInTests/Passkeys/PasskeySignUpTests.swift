import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Sign-ups by a passkey")
struct PasskeySignUpTests {
    private let fixture: PasskeyFixture

    init() throws {
        fixture = try PasskeyFixture()
    }

    @Test("A new user has a name and a passkey alone, and their own handle without personal data")
    func signUp() throws {
        let profile: JSONObject = ["nickname": "Ann", "contact": "Ann@Example.com"]
        let options = try fixture.options("/api/auth/passkey/signup", profile)
        let key = options["publicKey"]?.object ?? [:]
        let user = key["user"]?.object
        #expect(user?["name"] == "ann@example.com" && user?["displayName"] == "Ann")
        #expect(user?["id"]?.string?.utf8.count == 43)
        #expect(key["rp"] == ["id": "example.com", "name": "example.com"] && key["attestation"] == "none")
        #expect(key["authenticatorSelection"]?.object?["residentKey"] == "required")
        #expect(key["pubKeyCredParams"]?.array?.map { $0.object?["alg"] } == [-7, -8, -257])
        let (_, login) = try fixture.newUser(profile)
        let answer = login["user"]?.object
        #expect(login.status == 200 && login["isNewUser"] == true && login["knownAddress"] == nil)
        #expect(answer?["nickname"] == "Ann" && answer?["email"] == .null && answer?["emailVerified"] == false)
        let accounts = try fixture.accounts(of: login)
        #expect(accounts.map { $0["provider"] } == ["PASSKEY"])
        #expect(accounts[0]["unprovenContact"] == "ann@example.com" && accounts[0]["email"] == .null)
        let events = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))["events"]?.array
        #expect(Set(events?.compactMap { $0.object?["kind"]?.string } ?? []) == ["login", "passkey_added"])
    }

    @Test("Authenticators show a name also of a user of whom nothing is known")
    func anonymous() throws {
        let user = try fixture.options("/api/auth/passkey/signup")["publicKey"]?.object?["user"]?.object
        #expect(user?["name"] == "example.com" && user?["displayName"] == "example.com")
    }

    @Test("What a sheet of the system gives with the passkey takes the place of what was known before")
    func late() throws {
        var device = SoftwareAuthenticator()
        var request = try fixture.signUp(&device, ["nickname": "A", "contact": "a@example.com"])
        var body = try JSONValue(parsing: request.body).object ?? [:]
        body["contact"] = "nonsense"
        request.body = body.bytes
        let refused = try fixture.server.send(request)
        #expect(fixture.refusal(refused) == "400 invalid_request")
        #expect(refused["errors"]?.array?.first?.object?["field"] == "contact")
        (body["contact"], body["nickname"]) = ("+8613800138000", "Bo")
        request.body = body.bytes
        let login = try fixture.server.send(request)
        #expect(login["user"]?.object?["nickname"] == "Bo" && login["user"]?.object?["phone"] == .null)
        #expect(try fixture.accounts(of: login).first?["unprovenContact"] == "+8613800138000")
    }

    @Test("An unproven contact finds nobody and blocks nobody", arguments: ["email", "phone"])
    func preregistration(channel: String) throws {
        let address = channel == "email" ? "victim@example.com" : fixture.codes.newNumber()
        let (_, attacker) = try fixture.newUser(["contact": .string(address)])
        let victim = try fixture.codes.logIn(fixture.codes.code(address, channel: channel))
        #expect(victim.status == 200 && victim["isNewUser"] == true && victim["knownAddress"] == nil)
        #expect(victim.userID != attacker.userID)
        let (_, later) = try fixture.newUser(["contact": .string(address)])
        #expect(later.status == 200 && later.userID != victim.userID && later.userID != attacker.userID)
        #expect(try fixture.accounts(of: victim).count == 1)
    }

    @Test("A code proves the contact, which is then an account of its own")
    func proven() throws {
        let (_, login) = try fixture.newUser(["contact": "ann@example.com"])
        let code = try fixture.codes.code("ann@example.com", channel: "email")
        #expect(try fixture.codes.bind(code, to: login, channel: "email").status == 200)
        let accounts = try fixture.accounts(of: login)
        #expect(accounts.map { $0["provider"] } == ["PASSKEY", "EMAIL"])
        #expect(accounts[0]["unprovenContact"] == nil)
        #expect(try fixture.server.me(login.accessToken)["email"] == "ann@example.com")
    }

    @Test("Each fault of a registration has its reason, and creates no user", arguments: PasskeyFault.ofCreation)
    func faults(fault: PasskeyFault) throws {
        var device = SoftwareAuthenticator()
        let answer = try fixture.server.send(fixture.signUp(&device, faults: [fault]))
        let reason: String? =
            switch fault {
            case .challenge: "challenge"
            case .origin, .crossOrigin: "origin"
            case .rp: "rp"
            case .noPresence, .noVerification: "user_verification"
            // Another statement than none is accepted, and not believed.
            case .attestation, .excluded: nil
            default: "malformed"
            }
        #expect(fixture.refusal(answer) == (reason.map { "401 invalid_passkey " + $0 } ?? "200"), "\(answer.json)")
        let users = try fixture.inProcess.testDatabase.number("SELECT count(*) FROM users")
        #expect(users == (reason == nil ? 1 : 0))
    }

    @Test("A credential belongs to one user, also if two register it at the same moment at two nodes")
    func race() throws {
        let server = fixture.inProcess
        let other = try InProcessServer(beside: server)
        var device = SoftwareAuthenticator()
        let first = try fixture.signUp(&device)
        let requests = try (0..<8).map { _ in try fixture.repeated(first) }
        let answers = try Concurrently.run(8) { index in (index % 2 == 0 ? server : other).send(requests[index]) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        let others = Set(answers.filter { $0.status != 200 }.map(fixture.refusal))
        #expect(others == ["409 account_already_linked identity"], "\(others)")
        #expect(try server.testDatabase.number("SELECT count(*) FROM users") == 1)
    }
}
