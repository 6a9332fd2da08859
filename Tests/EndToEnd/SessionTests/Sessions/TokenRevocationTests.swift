import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// RFC 7009: what a client that knows OAuth sends to log out.
@Suite("Revocation of a token")
struct TokenRevocationTests {
    private static let path = "/api/auth/revoke"

    private func revoke(_ parameters: String, at server: some TestServer) throws -> TestResponse {
        try server.send(.form(Self.path, parameters))
    }

    @Test("It ends the session of a refresh token or of an access token at once, and may be repeated")
    func ends() throws {
        let server = try SharedServers.standard(.nginx)
        for (token, more) in [
            (\TestResponse.refreshToken, ""), (\TestResponse.refreshToken, "&token_type_hint=access_token"),
            (\TestResponse.accessToken, "&token_type_hint=refresh_token"),
            (\TestResponse.accessToken, "&client_id=app"),
        ] {
            let login = try server.devLogin("revoked@example.com")
            let other = try server.devLogin("revoked@example.com")
            for _ in 0..<2 {
                let response = try revoke("token=" + login[keyPath: token] + more, at: server)
                #expect(response.status == 200 && response.json.isEmpty)
            }
            #expect(try server.me(login.accessToken).code == "session_revoked")
            #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
            #expect(try server.me(other.accessToken).status == 200)
        }
    }

    @Test("A superseded or expired refresh token ends the session, too, and an expired access token ends nothing")
    func expired() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try server.devLogin("expired@example.com")
        server.advanceClock(by: .seconds(1800))
        let next = try server.refresh(login.refreshToken)
        server.advanceClock(by: .seconds(2000))
        #expect(try revoke("token=" + next.accessToken, at: server).status == 200)
        #expect(try server.refresh(next.refreshToken).status == 200)
        #expect(try revoke("token=" + login.refreshToken, at: server).status == 200)
        #expect(try server.refresh(next.refreshToken).code == "refresh_token_revoked")
    }

    @Test("A token that Gatehouse did not issue gets the same answer and ends nothing")
    func foreign() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("unrevoked@example.com")
        let payload = login.refreshToken.split(separator: ".").map(String.init)[1]
        let identity = server.apple.login("unrevoked")["identityToken"]?.string ?? ""
        for token in [
            try ForgedToken.refreshToken(like: payload, generation: 1), String(login.refreshToken.dropLast(2)),
            String(login.accessToken.dropLast(2)), identity, "x", "%zz", "a+b%20c",
        ] {
            let response = try revoke("token=\(token)&token_type_hint=refresh_token", at: server)
            #expect(response.status == 200 && response.json.isEmpty)
        }
        #expect(try server.me(login.accessToken).status == 200)
    }

    @Test(
        "A request without one token is refused",
        arguments: ["", "token=", "token_type_hint=access_token", "token=a&token=b", "tok%65n=a&token=b", "Token=a"])
    func malformed(_ parameters: String) throws {
        let response = try revoke(parameters, at: SharedServers.standard(.nginx))
        expectProblem(response, 400, "invalid_request")
        #expect(response["errors"]?.array?.compactMap { $0.object?["field"]?.string } == ["token"])
    }

    @Test("The body must be a form", arguments: ["application/json", "text/plain", "multipart/form-data"])
    func otherType(_ type: String) throws {
        var request = TestRequest.form(Self.path, "token=a")
        request.headers = [("Content-Type", type)]
        let response = try SharedServers.standard(.nginx).send(request)
        expectProblem(response, 415, "unsupported_media_type")
        #expect(response["detail"]?.string?.contains("application/x-www-form-urlencoded") == true)
        request.headers = [("Content-Type", "Application/x-www-form-urlencoded; charset=UTF-8")]
        #expect(try SharedServers.standard(.nginx).send(request).status == 200)
    }

    @Test("It is a logout in the audit trail, and a failing database is a failure")
    func sameAsLogout() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("audited@example.com")
        #expect(try revoke("token=" + login.refreshToken, at: server).status == 200)
        let again = try server.devLogin("audited@example.com")
        let events = server.send(.get("/api/users/me/export", bearer: again.accessToken))["events"]?.array
        #expect(events?.contains { $0.object?["kind"] == "logout" } == true)
        let fixture = try ExampleFixture(#require(APIDocument.current.get().operation("revokeToken")))
        try fixture.breakStore()
        #expect(fixture.send().code == "storage_unavailable")
    }
}
