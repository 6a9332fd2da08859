import FakeApple
import JSON
import Testing

@testable import ServerSupport

/// The table of retries on the API page, seen from a client that refreshes on every 401 of an endpoint that an access
/// token authorises.
@Suite("Which failures a refresh can help against")
struct RetryRuleTests {
    struct Operation: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: JSONObject? = nil
        /// The status after a success.
        var success = 200
        var testDescription: String { "\(method) \(path)" }

        func request(bearer: String?, body other: JSONObject? = nil) -> TestRequest {
            var request = TestRequest.get(path, bearer: bearer)
            if let body = other ?? body { request = .post(path, body, bearer: bearer) }
            request.method = method
            return request
        }
    }

    private static let me = "/api/users/me"
    private static let apple = "/api/users/me/accounts/apple"

    static let authorised: [Operation] = [
        Operation(method: "GET", path: me), Operation(method: "PATCH", path: me, body: ["nickname": "N"]),
        Operation(method: "GET", path: "/api/users/me/export"),
        Operation(method: "GET", path: "/api/users/me/sessions"),
        Operation(method: "GET", path: "/api/users/me/accounts"),
        Operation(method: "DELETE", path: apple, success: 204),
        Operation(method: "POST", path: "/api/auth/logout", success: 204),
        Operation(method: "POST", path: "/api/auth/logout-all", success: 204),
        Operation(method: "DELETE", path: me + "/sessions/sess_unknown", success: 404),
        Operation(method: "GET", path: "/api/auth/verify", success: 204),
        Operation(method: "DELETE", path: me, success: 204),
    ]

    @Test("A 401 of an endpoint with an access token is about that token, and a refresh helps", arguments: authorised)
    func accessToken(_ operation: Operation) throws {
        let server = try InProcessServer()
        let login = try server.devLogin("retry@example.com")
        for bearer in [nil, "nonsense", login.refreshToken] {
            let response = server.send(operation.request(bearer: bearer))
            #expect(response.status == 401)
            #expect(response.header("www-authenticate")?.hasPrefix("Bearer") == true)
        }
        server.advanceClock(by: .seconds(901))
        let expired = server.send(operation.request(bearer: login.accessToken))
        #expect(expired.status == 401)
        #expect(expired.header("www-authenticate")?.contains("access_token_expired") == true)
        let fresh = try server.refresh(login.refreshToken).accessToken
        #expect(server.send(operation.request(bearer: fresh)).status == operation.success)
    }

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
            let operation = Operation(method: method, path: path, body: body)
            let response = server.send(operation.request(bearer: login.accessToken))
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

    @Test("At logout with a valid access token, a refresh token of another user is 422 without a challenge")
    func foreignRefreshToken() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("owner@example.com")
        let foreign = try server.devLogin("other@example.com").refreshToken
        for token in [foreign, login.accessToken, "x"] {
            let body: JSONObject = ["refreshToken": .string(token)]
            let response = server.send(.post("/api/auth/logout", body, bearer: login.accessToken))
            #expect(response.status == 422 && response.code == "invalid_refresh_token")
            #expect(response.header("www-authenticate") == nil)
        }
        #expect(try server.me(login.accessToken).status == 200)
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
    }

    @Test("A refused refresh is refused again: only a login helps")
    func refusedRefresh() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("gone@example.com")
        #expect(server.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        for _ in 0..<3 {
            #expect(try server.me(login.accessToken).code == "session_revoked")
            let refused = try server.refresh(login.refreshToken)
            #expect(refused.status == 401 && refused.code == "refresh_token_revoked")
        }
        #expect(try server.me(try server.devLogin("gone@example.com").accessToken).status == 200)
    }
}

extension TestRequest {
    fileprivate var deleting: TestRequest {
        var request = self
        request.method = "DELETE"
        return request
    }
}
