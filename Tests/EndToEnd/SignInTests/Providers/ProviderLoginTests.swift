import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Logins by any provider")
struct ProviderLoginTests {
    private static func credential(_ provider: String, of person: String, _ fixture: ProviderFixture) throws
        -> JSONObject
    {
        switch provider {
        case "acme", "google": try fixture.token(provider, ["sub": .string(person)])
        default: try fixture.code(provider, ["openid": .string(person)])
        }
    }

    @Test("Each kind of provider signs in, in every environment", arguments: TestEnvironment.allCases)
    func everywhere(_ environment: TestEnvironment) throws {
        let fixture = try ProviderFixture(environment)
        for provider in ["acme", "google", "wechat", "qq"] {
            let first = try fixture.logIn(provider, Self.credential(provider, of: "oAnn-1", fixture))
            #expect(first.status == 200 && first["isNewUser"] == true, "\(provider) \(first.json)")
            let again = try fixture.logIn(provider, Self.credential(provider, of: "oAnn-1", fixture))
            #expect(again["isNewUser"] == false && again.userID == first.userID, "\(provider) \(again.json)")
            let other = try fixture.logIn(provider, Self.credential(provider, of: "oBob-2", fixture))
            #expect(other["isNewUser"] == true && other.userID != first.userID, "\(provider)")
            let accounts = try fixture.server.send(.get("/api/users/me/accounts", bearer: first.accessToken))
            #expect(accounts["accounts"]?.array?.first?.object?["provider"] == .string(provider.uppercased()))
            let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: first.accessToken))
            #expect(sessions["sessions"]?.array?.first?.object?["provider"] == .string(provider.uppercased()))
        }
    }

    @Test("The same subject at two providers is two users")
    func providersAreApart() throws {
        let fixture = try ProviderFixture()
        let users = try ["acme", "google", "wechat", "qq"].map { provider in
            try fixture.logIn(provider, Self.credential(provider, of: "same", fixture)).userID
        }
        #expect(Set(users).count == 4)
    }

    @Test("Users are never found by their address, verified or not")
    func email() throws {
        let fixture = try ProviderFixture()
        let dev = try fixture.server.devLogin("ann@gmail.com")
        let claims: JSONObject = ["sub": "1", "email": "ann@gmail.com", "emailVerified": true]
        let google = try fixture.logIn("google", fixture.token("google", claims))
        let acme = try fixture.logIn("acme", fixture.token("acme", claims))
        #expect(Set([dev.userID, google.userID, acme.userID]).count == 3)
        #expect(google["user"]?.object?["emailVerified"] == true)
    }

    @Test("An unknown provider, in any form, is 404, and the development login is none")
    func unknown() throws {
        let fixture = try ProviderFixture()
        let user = try fixture.server.devLogin("a@example.com")
        for name in ["other", "APPLE2", "../x", "", "dev", "DEV", "wechat2"] {
            let login = try fixture.server.send(
                .post("/api/auth/identity", ["provider": .string(name), "identityToken": "x.y.z"]))
            if name.isEmpty {
                expectProblem(login, 400, "invalid_request")
            } else {
                expectProblem(login, 404, "unknown_provider")
            }
            guard !name.contains("/"), !name.isEmpty else { continue }
            expectProblem(try fixture.link(name, ["identityToken": "x.y.z"], to: user), 404, "unknown_provider")
        }
    }

    @Test("Apple signs in here as well, by its own rules and with its own code of an error")
    func apple() throws {
        let fixture = try ProviderFixture()
        var body = fixture.server.apple.login("001.apple")
        body["provider"] = "APPLE"
        let login = try fixture.server.send(.post("/api/auth/identity", body))
        #expect(login.status == 200, "\(login.json)")
        #expect(
            try fixture.server.send(.post("/api/auth/apple", fixture.server.apple.login("001.apple"))).userID
                == login.userID)
        let refused = try fixture.server.send(
            .post("/api/auth/identity", ["provider": "APPLE", "identityToken": "x.y.z"]))
        expectProblem(refused, 401, "invalid_apple_token")
    }

    @Test("Each provider says which member it needs")
    func missing() throws {
        let fixture = try ProviderFixture()
        for (provider, member) in [
            ("acme", "identityToken"), ("google", "identityToken"), ("wechat", "code"), ("qq", "code"),
        ] {
            let response = try fixture.logIn(provider, [:])
            expectProblem(response, 400, "invalid_request")
            #expect(response["errors"]?.array?.first?.object?["field"] == .string(member), "\(provider)")
        }
    }

    @Test("A token that contains a challenge needs it in the request, also where a nonce may be left out")
    func challengeLeftOut() throws {
        let fixture = try ProviderFixture()
        let challenge = try fixture.server.send(.post("/api/auth/challenge", [:]))["nonce"]?.string ?? ""
        var body = try fixture.token("google", ["sub": "ann", "nonce": .string(challenge)])
        body["nonce"] = nil
        let stolen = try fixture.logIn("google", body)
        expectProblem(stolen, 401, "invalid_identity")
        #expect(stolen["reason"] == "nonce")
        body["nonce"] = .string(challenge)
        #expect(try fixture.logIn("google", body).status == 200)
        // A nonce that the provider's library has made, and the app does not know.
        body = try fixture.token("google", ["sub": "ann", "nonce": "made by a library"])
        body["nonce"] = nil
        #expect(try fixture.logIn("google", body).status == 200)
    }
}
