import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A developer who sends the wrong one of three tokens learns which one it is.
@Suite("A token that is sent in the place of another")
struct MisplacedTokenTests {
    private func tokens(_ server: any TestServer, _ name: String) throws -> (
        access: String, refresh: String, identity: String
    ) {
        let login = try server.devLogin(name + "@example.com")
        let identity = try #require(server.apple.login(name)["identityToken"]?.string)
        return (login.accessToken, login.refreshToken, identity)
    }

    private func expectRefusal(_ response: TestResponse, _ code: String, of token: String, saying beginning: String) {
        expectProblem(response, 401, code)
        #expect(response["detail"]?.string?.hasPrefix(beginning) == true, "\(response["detail"] ?? .null)")
        #expect(!String(decoding: response.body, as: UTF8.self).contains(token.suffix(43)), "no part of the token")
    }

    @Test("In the place of an access token it is named")
    func accessToken() throws {
        let server = try SharedServers.standard(.handler)
        let tokens = try tokens(server, "misplaced")
        for (token, beginning) in [
            (tokens.refresh, "This is a refresh token, not an access token. Send the accessToken of the same answer."),
            (tokens.identity, "This is Apple's identity token, not an access token. Send the accessToken of the login"),
            (tokens.access + "x", "The access token is not valid."), ("x.y.z", "The access token is not valid."),
        ] {
            let response = try server.send(.get("/api/users/me", bearer: token))
            expectRefusal(response, "invalid_access_token", of: token, saying: beginning)
            let logout = try server.send(.post("/api/auth/logout", bearer: token))
            expectRefusal(logout, "invalid_access_token", of: token, saying: beginning)
        }
        #expect(try server.refresh(tokens.refresh).status == 200, "the session goes on")
    }

    @Test("In the place of a refresh token it is named")
    func refreshToken() throws {
        let server = try SharedServers.standard(.handler)
        let tokens = try tokens(server, "replaced")
        for (token, beginning) in [
            (tokens.access, "This is an access token, not a refresh token. Send the refreshToken of the same"),
            (tokens.identity, "This is Apple's identity token, not a refresh token. Send the refreshToken of the"),
            (tokens.refresh + "x", "The refresh token is not valid."), ("x.y.z", "The refresh token is not valid."),
        ] {
            let response = try server.refresh(token)
            expectRefusal(response, "invalid_refresh_token", of: token, saying: beginning)
            let logout = try server.send(.post("/api/auth/logout", ["refreshToken": .string(token)]))
            expectRefusal(logout, "invalid_refresh_token", of: token, saying: beginning)
            let body: JSONObject = ["refreshToken": .string(token)]
            let signedIn = try server.send(.post("/api/auth/logout", body, bearer: tokens.access))
            #expect(signedIn.status == 422 && signedIn.code == "invalid_refresh_token")
            #expect(signedIn.header("www-authenticate") == nil, "a refresh would not help")
        }
        #expect(try server.me(tokens.access).status == 200, "the session goes on")
    }

    @Test("The guard names it, too")
    func guarded() throws {
        let fixture = try GuardFixture.shared.get()
        let tokens = try tokens(fixture.server, "misplaced-guard")
        for (token, beginning) in [
            (tokens.refresh, "This is a refresh token, not an access token."),
            (tokens.identity, "This is Apple's identity token, not an access token. Send the accessToken of the login"),
        ] {
            let response = try fixture.server.send(.get("/notes/1", bearer: token))
            expectRefusal(response, "invalid_access_token", of: token, saying: beginning)
        }
    }

    @Test("No database is read for it")
    func withoutDatabase() throws {
        let fixture = try ExampleFixture(#require(APIDocument.current.get().operation("getUser")))
        try fixture.breakStore()
        #expect(fixture.send().code == "storage_unavailable")
        let response = fixture.send { fixture.authorise(&$0, by: fixture.login.refreshToken) }
        expectRefusal(
            response, "invalid_access_token", of: fixture.login.refreshToken, saying: "This is a refresh token")
    }

    /// A client that forges one learns only what it has written itself.
    @Test("A token says what kind it is, and nothing of it is verified")
    func forged() throws {
        let server = try SharedServers.standard(.handler)
        let header: JSONObject = ["alg": "none", "typ": "rt+jwt"]
        let token = Base64URL.encode(header.bytes) + ".e30."
        let response = try server.send(.get("/api/users/me", bearer: token))
        #expect(response["detail"]?.string?.hasPrefix("This is a refresh token") == true)
        expectProblem(try server.refresh(token), 401, "invalid_refresh_token")
    }
}
