import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Sign-ins by a passkey")
struct PasskeyLoginTests {
    private let fixture: PasskeyFixture

    init() throws {
        fixture = try PasskeyFixture()
    }

    @Test("A passkey of each algorithm signs in as its user", arguments: PasskeyAlgorithm.allCases)
    func login(algorithm: PasskeyAlgorithm) throws {
        var device = SoftwareAuthenticator()
        device.algorithm = algorithm
        let first = try fixture.server.send(fixture.signUp(&device))
        #expect(first.status == 200 && first["isNewUser"] == true, "\(first.json)")
        let second = try fixture.logIn(&device)
        #expect(second.status == 200 && second["isNewUser"] == false && second.userID == first.userID, "\(second.json)")
        let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: second.accessToken))
        #expect(sessions["sessions"]?.array?.allSatisfy { $0.object?["provider"] == "PASSKEY" } == true)
        #expect(try fixture.passkeys(of: second).first?["lastUsedAt"]?.string != nil)
    }

    @Test("The options of a sign-in name no passkey, and each challenge is another one")
    func options() throws {
        _ = try fixture.newUser()
        let answers = try (0..<2).map { _ in try fixture.options("/api/auth/passkey") }
        let keys = answers.compactMap { $0["publicKey"]?.object }
        #expect(keys.map(\.names) == Array(repeating: ["challenge", "timeout", "rpId", "userVerification"], count: 2))
        #expect(keys[0]["challenge"] != keys[1]["challenge"] && answers[0]["passkeyId"] != answers[1]["passkeyId"])
        #expect(keys[0]["rpId"] == "example.com" && keys[0]["userVerification"] == "required")
        #expect(keys[0]["timeout"] == 600_000)
    }

    @Test("Each fault of a sign-in has its reason, and opens no session", arguments: PasskeyFault.ofSignIn)
    func faults(fault: PasskeyFault) throws {
        // The flags about copies may change: passkeys are moved from one password manager to another.
        guard fault != .eligibility else { return }
        var (device, user) = try fixture.newUser(counting: 7)
        device.signCount = fault == .counter ? 7 : 8
        let answer = try fixture.logIn(&device, faults: [fault])
        let reason =
            switch fault {
            case .challenge: "challenge"
            case .origin, .crossOrigin: "origin"
            case .rp: "rp"
            case .noPresence, .noVerification: "user_verification"
            case .signature: "signature"
            case .counter: "counter"
            case .unknown, .userHandle: "unknown"
            default: answer["reason"] == "signature" && fault == .rawSignature ? "signature" : "malformed"
            }
        #expect(fixture.refusal(answer) == "401 invalid_passkey \(reason)", "\(answer.json)")
        #expect((answer["credentialId"] != nil) == (reason == "unknown"))
        let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: user.accessToken))
        #expect(sessions["sessions"]?.array?.count == 1)
    }

    @Test("Flags about copies of a passkey may change")
    func copies() throws {
        var (device, _) = try fixture.newUser()
        #expect(try fixture.logIn(&device, faults: [.eligibility]).status == 200)
        #expect(try fixture.logIn(&device).status == 200)
    }

    @Test("Without the demand, a user who was not verified signs in")
    func preferred() throws {
        let fixture = try PasskeyFixture { $0["PASSKEY_USER_VERIFICATION"] = "preferred" }
        var (device, _) = try fixture.newUser()
        #expect(try fixture.logIn(&device, faults: [.noVerification]).status == 200)
    }

    // MARK: Challenges

    @Test("A challenge has one attempt, also one that is refused")
    func once() throws {
        var (device, _) = try fixture.newUser()
        let request = try fixture.signIn(&device)
        #expect(try fixture.server.send(request).status == 200)
        #expect(try fixture.refusal(fixture.server.send(request)) == "401 invalid_passkey challenge")
        let options = try fixture.options("/api/auth/passkey")
        let statuses = try [[PasskeyFault.signature], []].map { faults in
            let credential = try device.sign(options["publicKey"]?.object ?? [:], faults: Set(faults))
            return try fixture.refusal(
                fixture.server.send(
                    .post(
                        "/api/auth/passkey",
                        ["passkeyId": options["passkeyId"] ?? nil, "credential": .object(credential)])))
        }
        #expect(statuses == ["401 invalid_passkey signature", "401 invalid_passkey challenge"])
    }

    @Test("A challenge ends after ten minutes, and belongs to its id, its purpose and its installation")
    func bound() throws {
        var (device, login) = try fixture.newUser()
        let other = try PasskeyFixture { $0["JWT_REFRESH_SECRET"] = "another secret of more than thirty-two bytes" }
        var requests = [try fixture.signIn(&device)]
        let id = try fixture.options("/api/auth/passkey")["passkeyId"]
        let foreign = try other.options("/api/auth/passkey")["passkeyId"]
        let forSignUp = try fixture.options("/api/auth/passkey/signup")["passkeyId"]
        for passkeyID in [id, foreign, forSignUp, "", "x", .string(String(repeating: "A", count: 400))] {
            var request = try fixture.signIn(&device)
            var body = try JSONValue(parsing: request.body).object ?? [:]
            body["passkeyId"] = passkeyID
            request.body = body.bytes
            requests.append(request)
        }
        let late = requests.removeFirst()
        let answers = try requests.map { try fixture.refusal(fixture.server.send($0)) }
        #expect(answers.filter { $0 == "401 invalid_passkey challenge" }.count == 5, "\(answers)")
        #expect(answers.contains("400 invalid_request"))
        fixture.inProcess.advanceClock(by: .seconds(599))
        let inTime = try fixture.signIn(&device)
        fixture.inProcess.advanceClock(by: .seconds(1))
        #expect(try fixture.refusal(fixture.server.send(late)) == "401 invalid_passkey challenge")
        #expect(try fixture.server.send(inTime).userID == login.userID)
    }

    @Test("A challenge is used once, also by 32 requests at the same moment at two nodes")
    func race() throws {
        let server = fixture.inProcess
        let other = try InProcessServer(beside: server)
        var (device, _) = try fixture.newUser()
        let request = try fixture.signIn(&device)
        let answers = try Concurrently.run(32) { index in (index % 2 == 0 ? server : other).send(request) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(
            Set(answers.filter { $0.status != 200 }.map(fixture.refusal)) == ["401 invalid_passkey challenge"])
    }

    @Test("Of sign-ins with one value of the counter, one succeeds, and the others are in the user's audit trail")
    func counterRace() throws {
        var (device, login) = try fixture.newUser(counting: 1)
        device.signCount = 2
        let requests = try (0..<8).map { _ in try fixture.signIn(&device) }
        let answers = try Concurrently.run(8) { try fixture.server.send(requests[$0]) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(Set(answers.filter { $0.status != 200 }.map(fixture.refusal)) == ["401 invalid_passkey counter"])
        try fixture.inProcess.runMaintenance()
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))
        let refused = export["events"]?.array?.compactMap(\.object).filter { $0["kind"] == "login_refused" } ?? []
        #expect(refused.map { $0["detail"] } == ["counter"] && refused.first?["provider"] == "PASSKEY")
    }

    // MARK: Users

    @Test("A disabled user is refused, and so is a passkey that was deleted or whose user was")
    func ended() throws {
        var (device, login) = try fixture.newUser()
        let environment = ["DATABASE_URL": fixture.inProcess.testDatabase.url]
        func users(_ command: String) throws {
            _ = try Shell.outcome(of: [Executable.gatehouse, "users", command, login.userID], environment: environment)
        }
        try users("disable")
        #expect(try fixture.refusal(fixture.logIn(&device)) == "403 user_disabled")
        try users("enable")
        let again = try fixture.logIn(&device)
        let waiting = try fixture.signIn(&device)
        var deletion = TestRequest.get("/api/users/me", bearer: again.accessToken)
        deletion.method = "DELETE"
        #expect(try fixture.server.send(deletion).status == 204)
        let answer = try fixture.server.send(waiting)
        #expect(fixture.refusal(answer) == "401 invalid_passkey unknown")
        #expect(answer["credentialId"]?.string == device.passkeys.first?.name)
        #expect(try fixture.inProcess.testDatabase.number("SELECT count(*) FROM passkeys") == 0)
    }

    @Test("A session is bound to a key, and a proof that is refused uses no challenge up")
    func proof() throws {
        let fixture = try PasskeyFixture { $0["DPOP_NONCE"] = "required" }
        var (device, _) = try fixture.newUser()
        let request = try fixture.signIn(&device)
        let refused = try fixture.server.send(request.proven(by: "passkey:P-256", at: fixture.server))
        expectRefusedProof(refused, "nonce")
        let nonce = try #require(refused.header("dpop-nonce"))
        let login = try fixture.server.send(
            request.proven(by: "passkey:P-256", at: fixture.server) { $0.claims["nonce"] = .string(nonce) })
        #expect(login.status == 200 && login["tokenType"] == "DPoP", "\(login.json)")
    }

    @Test("A page has its refresh token in a cookie, and a page of another site uses no challenge up")
    func cookie() throws {
        let fixture = try PasskeyFixture { $0["PUBLIC_URL"] = "https://example.com" }
        var (device, _) = try fixture.newUser()
        var request = try fixture.signIn(&device)
        var body = try JSONValue(parsing: request.body).object ?? [:]
        body["session"] = "cookie"
        request.body = body.bytes
        var foreign = request
        foreign.headers.append(("Origin", "https://evil.example"))
        #expect(try fixture.refusal(fixture.server.send(foreign)) == "403 origin_not_allowed")
        request.headers.append(("Origin", "https://example.com"))
        let login = try fixture.server.send(request)
        #expect(login.status == 200 && login["refreshToken"] == .null, "\(login.json)")
        #expect(login.header("set-cookie")?.hasPrefix("__Host-gatehouse=") == true)
    }

    @Test("Without the domain of passkeys, each of their endpoints is that of an unknown provider")
    func off() throws {
        let server = try InProcessServer()
        let bearer = try server.devLogin("ann@example.com").accessToken
        let body: JSONObject = ["passkeyId": "x", "credential": [:]]
        let paths = ["/api/auth/passkey", "/api/auth/passkey/signup"]
        var requests = paths.flatMap { [TestRequest.post($0 + "/options", [:]), .post($0, body)] }
        requests += [
            .get("/api/users/me/passkeys", bearer: bearer), .post("/api/users/me/passkeys/options", bearer: bearer),
            .post("/api/users/me/passkeys", body, bearer: bearer),
            TestRequest(
                method: "DELETE", path: "/api/users/me/passkeys/x", headers: [("Authorization", "Bearer " + bearer)]),
        ]
        for request in requests {
            #expect(server.send(request).code == "unknown_provider", "\(request.path)")
        }
        #expect(server.send(.get("/api/auth/ways"))["passkey"] == false)
        #expect(try fixture.server.send(.get("/api/auth/ways"))["passkey"] == true)
    }
}
