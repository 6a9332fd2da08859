import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The exchange of a code")
struct ExchangeTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture()
    }

    @Test("The answer is that of other logins, and the session belongs to the device that exchanges")
    func answer() throws {
        var request = fixture.exchangeRequest(try fixture.code(as: "ann@example.com"), ["nickname": "Ann"])
        request.headers.append(("User-Agent", "App/1"))
        let login = try fixture.server.send(request)
        #expect(login.status == 200 && login["tokenType"] == "Bearer" && login["isNewUser"] == true)
        #expect(login["user"]?.object?["nickname"] == "Ann")
        #expect(login.header("set-cookie") == nil)
        let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: login.accessToken))
        let session = sessions["sessions"]?.array?.first?.object
        #expect(session?["device"] == "App/1" && session?["provider"] == "ACME")
        #expect(try fixture.server.send(.refresh(login.refreshToken)).status == 200)
    }

    @Test("A code that is not exchanged makes neither a user nor a session")
    func unused() throws {
        _ = try fixture.code(as: "ann@example.com")
        let database = try #require(fixture.inProcess?.testDatabase)
        #expect(try database.number("SELECT count(*) FROM users") == 0)
        #expect(try database.number("SELECT count(*) FROM refresh_tokens") == 0)
    }

    @Test("The database has neither the code nor, in words, what it stands for")
    func sealed() throws {
        let code = try fixture.code(as: "ann@example.com")
        guard !TestDatabase.isOnServer, let path = fixture.inProcess?.database else { return }
        let files = ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) ?? Data() }
        #expect(files.map(\.count).max() ?? 0 > 4096)
        for secret in [code, "ann@example.com", AppFlow.verifier] {
            #expect(files.allSatisfy { $0.range(of: Data(secret.utf8)) == nil }, "\(secret)")
        }
    }

    @Test("A code lives for a minute")
    func lifetime() throws {
        let (second, first) = (try fixture.code(as: "b"), try fixture.code(as: "a"))
        fixture.inProcess?.advanceClock(by: .seconds(40))
        #expect(try fixture.exchange(first).status == 200)
        fixture.inProcess?.advanceClock(by: .seconds(21))
        #expect(try fixture.exchange(second).code == "invalid_grant")
    }

    @Test("A code belongs to its verifier and its redirect address, and a wrong one does not use it up")
    func bound() throws {
        let code = try fixture.code(as: "ann@example.com")
        let other = String(repeating: "a", count: 43)
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        for verifier in [other, challenge, AppFlow.verifier + "a", "a"] {
            let answer = try fixture.exchange(code, verifier: verifier)
            #expect(answer.status == 400 && answer.code == "invalid_grant", "\(verifier)")
        }
        for address in [WebSignInFixture.page + "/", "com.example.app:/signed-in", "https://evil.example/"] {
            #expect(try fixture.exchange(code, ["redirectUri": .string(address)]).code == "invalid_grant")
        }
        #expect(try fixture.exchange(code + "a").code == "invalid_grant")
        #expect(try fixture.exchange(code, ["redirectUri": .string(WebSignInFixture.page)]).status == 200)
    }

    @Test("A code for an address that is no longer registered is refused, and good when the address is back")
    func unregisteredAddress() throws {
        let server = try #require(fixture.inProcess)
        let code = try fixture.code(as: "ann@example.com")
        try server.restart { $0["REDIRECT_URIS"] = "com.example.app:/signed-in" }
        for sent: JSONObject in [[:], ["redirectUri": .string(WebSignInFixture.page)]] {
            #expect(try fixture.exchange(code, sent).code == "invalid_grant", "\(sent)")
        }
        try server.restart()
        #expect(try fixture.exchange(code).status == 200)
    }

    @Test("Unknown, used and expired codes and wrong verifiers get one answer")
    func oneAnswer() throws {
        let used = try fixture.code(as: "a")
        _ = try fixture.exchange(used)
        let answers = [
            try fixture.exchange("unknown"), try fixture.exchange(used),
            try fixture.exchange(fixture.code(as: "b"), verifier: String(repeating: "a", count: 43)),
        ]
        let bodies = answers.map { answer in
            var json = answer.json
            json["requestId"] = .null
            return "\(answer.status) \(json)"
        }
        #expect(Set(bodies).count == 1, "\(bodies)")
    }

    @Test(
        "A second use, also with another verifier or after the minute, ends the session of the first at once, on every node"
    )
    func secondUse() throws {
        let server = try #require(fixture.inProcess)
        for (index, verifier) in [AppFlow.verifier, String(repeating: "a", count: 43), AppFlow.verifier].enumerated() {
            let code = try fixture.code(as: "user \(index)")
            let login = try fixture.exchange(code)
            #expect(try fixture.isSignedIn(login))
            if index == 2 { server.advanceClock(by: .seconds(90)) }
            #expect(try fixture.exchange(code, verifier: verifier).code == "invalid_grant")
            #expect(try !fixture.isSignedIn(login), "\(index)")
            #expect(server.send(.refresh(login.refreshToken)).code == "refresh_token_revoked")
            #expect(try fixture.exchange(code).code == "invalid_grant", "a third use")
        }
        let events = try server.testDatabase.number(
            "SELECT count(*) FROM audit_events WHERE kind = 'authorization_code_reused'")
        #expect(events >= 3)
    }

    @Test("Of exchanges at the same moment at two nodes one signs in, and its session ends")
    func race() throws {
        let server = try #require(fixture.inProcess)
        let other = try InProcessServer(beside: server)
        let request = fixture.exchangeRequest(try fixture.code(as: "ann@example.com"))
        let answers = try Concurrently.run(12) { index in (index % 2 == 0 ? server : other).send(request) }
        let logins = answers.filter { $0.status == 200 }
        #expect(logins.count == 1)
        #expect(answers.filter { $0.code == "invalid_grant" }.count == 11)
        #expect(logins.allSatisfy { server.send(.refresh($0.refreshToken)).code == "refresh_token_revoked" })
        #expect(try server.testDatabase.number("SELECT count(*) FROM users") == 1)
    }

    @Test("Faults of the body name the member, and leave the code alone")
    func body() throws {
        let code = try fixture.code(as: "ann@example.com")
        for body: JSONObject in [
            [:], ["code": .string(code)], ["codeVerifier": "a"], ["code": .string(code), "codeVerifier": 1],
            ["code": .string(code), "codeVerifier": .string(AppFlow.verifier), "session": "local"],
        ] {
            #expect(try fixture.server.send(.post("/api/auth/exchange", body)).code == "invalid_request", "\(body)")
        }
        #expect(try fixture.exchange(code).status == 200)
    }

    @Test("A session is bound to the app's key by a proof, and a refused proof leaves the code")
    func proof() throws {
        let fixture = try WebSignInFixture { $0["DPOP_NONCE"] = "required" }
        let request = fixture.exchangeRequest(try fixture.code(as: "ann@example.com"))
        let refused = try fixture.server.send(request.proven(by: "web:P-256", at: fixture.server))
        expectRefusedProof(refused, "nonce")
        let nonce = try #require(refused.header("dpop-nonce"))
        let login = try fixture.server.send(
            request.proven(by: "web:P-256", at: fixture.server) { $0.claims["nonce"] = .string(nonce) })
        #expect(login.status == 200 && login["tokenType"] == "DPoP", "\(login.json)")
    }

    @Test("A code of a start with dpop_jkt is exchanged by that key alone, and a refused exchange leaves it")
    func keyOfStart() throws {
        let key = try ProofMaker.shared.get().make(ProofOrder("app:P-256", "POST", WebSignInFixture.origin)).thumbprint
        var flow = AppFlow()
        flow.more = "&dpop_jkt=\(key)"
        var back = TestBrowser.Arrival(address: "", parameters: [:])
        #expect(
            try Eventually.holds {
                back = try fixture.browser().signIn("acme", as: "ann@example.com", flow)
                return back.parameters["code"] != nil
            })
        let code = try #require(back.parameters["code"])
        let request = fixture.exchangeRequest(code)
        expectRefusedProof(try fixture.server.send(request), "missing")
        expectRefusedProof(try fixture.server.send(request.proven(by: "thief:P-256", at: fixture.server)), "key")
        let form = TestRequest.form(
            "/api/auth/exchange",
            "grant_type=authorization_code&code=\(code)&code_verifier=\(AppFlow.verifier)")
        #expect(try fixture.server.send(form)["error"] == "invalid_dpop_proof")
        let wrong = fixture.exchangeRequest(code, verifier: TestBrowser.challenge(of: "another"))
        #expect(try fixture.server.send(wrong.proven(by: "app:P-256", at: fixture.server)).code == "invalid_grant")
        let login = try fixture.server.send(request.proven(by: "app:P-256", at: fixture.server))
        #expect(login.status == 200 && login["tokenType"] == "DPoP", "\(login.json)")
    }

    @Test("A disabled user is refused at the exchange, and may try again when enabled")
    func disabled() throws {
        let server = try #require(fixture.inProcess)
        let user = try fixture.logIn(as: "ann@example.com").userID
        try server.testDatabase.execute("UPDATE users SET status = 'DISABLED' WHERE id = '\(user)'")
        let code = try fixture.code(as: "ann@example.com")
        #expect(try fixture.exchange(code).code == "user_disabled")
        try server.testDatabase.execute("UPDATE users SET status = 'ACTIVE' WHERE id = '\(user)'")
        #expect(try fixture.exchange(code).status == 200)
    }

    @Test("A store that fails is 503, and the code is good afterwards")
    func failingStore() throws {
        let server = try #require(fixture.inProcess)
        let code = try fixture.code(as: "ann@example.com")
        try server.testDatabase.execute("ALTER TABLE authorization_codes RENAME TO gone")
        #expect(try fixture.exchange(code).code == "storage_unavailable")
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO authorization_codes")
        #expect(try fixture.exchange(code).status == 200)
    }
}

@Suite("The exchange of a code in OAuth's words")
struct OAuthExchangeTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture()
    }

    private func send(_ fields: [String: String]) throws -> TestResponse {
        try fixture.server.send(.form("/api/auth/exchange", TestBrowser.form(fields)))
    }

    private func fields(_ code: String) -> [String: String] {
        [
            "grant_type": "authorization_code", "code": code, "code_verifier": AppFlow.verifier,
            "redirect_uri": WebSignInFixture.page, "client_id": "any", "unknown": "x",
        ]
    }

    @Test("A form gets tokens in OAuth's names, which refresh at the same place by the same rules")
    func tokens() throws {
        let answer = try send(fields(fixture.code(as: "ann@example.com")))
        #expect(answer.status == 200 && answer.header("content-type") == "application/json")
        #expect(answer["token_type"] == "Bearer" && answer["expires_in"] == 900)
        #expect(try fixture.server.me(answer["access_token"]?.string ?? "").status == 200)
        let first = answer["refresh_token"]?.string ?? ""
        let refresh = ["grant_type": "refresh_token", "refresh_token": first]
        let second = try send(refresh)
        #expect(second.status == 200 && second["refresh_token"] != answer["refresh_token"])
        #expect(try send(refresh)["refresh_token"] == second["refresh_token"], "a lost answer is repeated")
        fixture.inProcess?.advanceClock(by: .seconds(60))
        _ = try send(["grant_type": "refresh_token", "refresh_token": second["refresh_token"]?.string ?? ""])
        fixture.inProcess?.advanceClock(by: .seconds(60))
        let reused = try send(refresh)
        #expect(reused.status == 400 && reused["error"] == "invalid_grant", "\(reused.json)")
    }

    private static let faults: [(String, [String: String?], String)] = [
        ("no grant", ["grant_type": nil], "invalid_request"),
        ("another grant", ["grant_type": "client_credentials"], "unsupported_grant_type"),
        ("a password", ["grant_type": "password"], "unsupported_grant_type"),
        ("no code", ["code": nil], "invalid_request"), ("no verifier", ["code_verifier": nil], "invalid_request"),
        ("an unknown code", ["code": "x"], "invalid_grant"),
        ("another verifier", ["code_verifier": String(repeating: "a", count: 43)], "invalid_grant"),
        ("another address", ["redirect_uri": "https://evil.example/"], "invalid_grant"),
        ("no refresh token", ["grant_type": "refresh_token"], "invalid_request"),
        ("a forged refresh token", ["grant_type": "refresh_token", "refresh_token": "a.b.c"], "invalid_grant"),
    ]

    @Test("Errors are those of RFC 6749, section 5.2")
    func errors() throws {
        for (name, changes, error) in Self.faults {
            let code = try fixture.code(as: "ann@example.com")
            let answer = try send(
                fields(code).merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) })
            #expect(answer.status == 400 && answer["error"] == .string(error), "\(name): \(answer.json)")
            #expect(answer["error_description"]?.string?.contains { "\"\\".contains($0) } == false)
            #expect(answer.header("cache-control") == "no-store")
        }
    }

    @Test("A parameter that is there twice is refused")
    func twice() throws {
        let code = try fixture.code(as: "ann@example.com")
        let form = TestBrowser.form(fields(code)) + "&code=\(code)"
        #expect(try fixture.server.send(.form("/api/auth/exchange", form))["error"] == "invalid_request")
    }

    /// AppAuth for Android takes any answer with `error` for the end of the session.
    @Test("A failing store is a problem document, and no error of OAuth")
    func failingStore() throws {
        let code = try fixture.code(as: "ann@example.com")
        try fixture.inProcess?.testDatabase.execute("ALTER TABLE authorization_codes RENAME TO gone")
        let answer = try send(fields(code))
        #expect(answer.status == 503 && answer.code == "storage_unavailable" && answer["error"] == nil)
        #expect(answer.header("retry-after") != nil)
    }
}
