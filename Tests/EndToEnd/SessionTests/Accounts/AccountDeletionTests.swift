import JSON
import Testing

@testable import ServerSupport

@Suite("Account deletion")
struct AccountDeletionTests {
    private func delete(_ server: any TestServer, _ bearer: String?) throws -> TestResponse {
        var request = TestRequest.get("/api/users/me", bearer: bearer)
        request.method = "DELETE"
        return try server.send(request)
    }

    @Test("Deleting an account ends all its sessions at once", arguments: TestEnvironment.allCases)
    func atOnce(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let logins = try (0..<2).map { _ in try server.devLogin("gone-\(environment)@example.com") }
        let response = try delete(server, logins[0].accessToken)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        for login in logins {
            #expect(try server.me(login.accessToken).code == "session_revoked")
            #expect(try server.refresh(login.refreshToken).code == "invalid_refresh_token")
        }
    }

    @Test("A login after the deletion creates a new user, also with Apple", arguments: TestEnvironment.allCases)
    func newUser(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let subject = "deleted-\(environment)"
        let first = try server.send(.post("/api/auth/apple", server.apple.login(subject)))
        #expect(try delete(server, first.accessToken).status == 204)
        let second = try server.send(.post("/api/auth/apple", server.apple.login(subject)))
        #expect(second.status == 200)
        #expect(second["isNewUser"] == true)
        #expect(second["user"]?.object?["id"] != first["user"]?.object?["id"])
    }

    @Test("Deleting an account requires a valid access token", arguments: [nil, "x"])
    func unauthenticated(_ bearer: String?) throws {
        #expect(try delete(SharedServers.standard(.handler), bearer).code == "invalid_access_token")
    }
}
