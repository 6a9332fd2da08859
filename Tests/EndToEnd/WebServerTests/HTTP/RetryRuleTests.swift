import JSON
import StandIn
import Testing

@testable import ServerSupport

/// The table of retries on the API page, seen from a client that refreshes on every 401 of an endpoint that an access
/// token authorises.
@Suite("Which failures a refresh can help against")
struct RetryRuleTests {
    private static let me = "/api/users/me"
    private static let apple = "/api/users/me/accounts/apple"

    /// The number of the first bodies whose tokens are valid, but have been used.
    private static let validElsewhere = 2

    /// Bodies that are wrong for some reason other than the access token.
    private func wrongBodies(_ server: InProcessServer) throws -> [JSONObject] {
        let apple = server.apple
        let used = apple.login("001.used")
        #expect(server.send(.post("/api/auth/apple", used)).status == 200)
        let nonce = try #require(server.send(.post("/api/auth/apple/challenge", bearer: nil))["nonce"]?.string)
        let first = apple.login("001.nonce") { $0.nonce = nonce }
        #expect(server.send(.post("/api/auth/apple", first)).status == 200)
        server.advanceClock(by: .seconds(61))
        return [
            used, apple.login("001.nonce") { $0.nonce = nonce }, apple.forgedLogin(),
            apple.login("001.x") { $0.audience = "com.example.other" },
            apple.login("001.x") { $0.claims = ["exp": 1_600_000_000] },
            apple.login("001.x") { $0.header = ["alg": "none"] },
            apple.login("001.x") { $0.claims = ["nonce": "n"] }, ["identityToken": "x"], ["identityToken": 7],
        ]
    }

    @Test(
        "With a valid access token, a bad identity token is 422 without a challenge, and no other failure is a 401",
        arguments: [("POST", apple), ("DELETE", apple), ("DELETE", me)])
    func otherFailures(method: String, path: String) throws {
        // Without a recent login, a DELETE needs an identity token. One of another user proves nothing.
        let isProof = method == "DELETE"
        let server = try InProcessServer { $0["SENSITIVE_MAX_AGE"] = isProof ? "10s" : nil }
        let bodies = try wrongBodies(server).dropFirst(isProof ? Self.validElsewhere : 0)
        let login = try server.devLogin("owner@example.com")
        server.advanceClock(by: .seconds(11))
        for body in bodies {
            var request = TestRequest.post(path, body, bearer: login.accessToken)
            request.method = method
            let response = server.send(request)
            #expect(response.status == (body["identityToken"]?.string == nil ? 400 : 422), "\(response.code ?? "")")
            #expect(response.header("www-authenticate") == nil)
            // The identity token alone is still 401, because it is what authorises a login.
            guard response.status == 422 else { continue }
            #expect(server.send(.post("/api/auth/apple", body)).status == 401)
        }
        #expect(try server.me(login.accessToken).status == 200)
    }

    @Test("With a valid access token, a wrong code is 422 without a challenge; at a login it is 401")
    func wrongCode() throws {
        let fixture = try CodeFixture()
        let login = try fixture.logIn(fixture.code("owner@example.com", channel: "email"))
        let code = try fixture.code(fixture.newNumber()).wrong
        let response = try fixture.bind(code, to: login)
        #expect(fixture.refusal(response) == "422 invalid_code")
        #expect(response.header("www-authenticate") == nil)
        #expect(try fixture.refusal(fixture.logIn(code)) == "401 invalid_code")
        #expect(try fixture.me(login).status == 200)
    }

    @Test("A login that is too old is the one other 401: it says so, and a refresh changes nothing")
    func loginTooOld() throws {
        let server = try InProcessServer { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = try server.devLogin("old@example.com")
        server.advanceClock(by: .seconds(601))
        let fresh = try server.refresh(login.refreshToken).accessToken
        for token in [login.accessToken, fresh] {
            let response = server.send(.get(Self.me, bearer: token).deleting)
            #expect(response.status == 401 && response.code == "login_too_old")
            let challenge = try #require(response.header("www-authenticate"))
            #expect(challenge.contains("insufficient_user_authentication") && !challenge.contains("invalid_token"))
        }
        server.advanceClock(by: .seconds(901))
        let expired = try server.me(fresh).header("www-authenticate")
        #expect(expired?.contains(#"error="invalid_token", error_description="access_token_expired""#) == true)
    }
}

extension TestRequest {
    fileprivate var deleting: TestRequest {
        var request = self
        request.method = "DELETE"
        return request
    }
}
