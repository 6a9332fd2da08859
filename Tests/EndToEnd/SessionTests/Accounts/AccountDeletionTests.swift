import JSON
import Testing

@testable import ServerSupport

@Suite("Account deletion")
struct AccountDeletionTests {
    @Test("Deleting an account ends all its sessions at once")
    func atOnce() throws {
        let server = try SharedServers.standard(.nginx)
        let logins = try (0..<2).map { _ in try server.devLogin("deleted-at-once@example.com") }
        let response = try server.deleteAccount(logins[0])
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        for login in logins {
            #expect(try server.me(login.accessToken).code == "session_revoked")
            #expect(try server.refresh(login.refreshToken).code == "invalid_refresh_token")
        }
    }

    @Test("A login after the deletion creates a new user, also with Apple")
    func newUser() throws {
        let server = try SharedServers.standard(.nginx)
        let subject = "deleted-and-new"
        let first = try server.send(.post("/api/auth/apple", server.apple.login(subject)))
        #expect(try server.deleteAccount(first).status == 204)
        let second = try server.send(.post("/api/auth/apple", server.apple.login(subject)))
        #expect(second.status == 200)
        #expect(second["isNewUser"] == true)
        #expect(second["user"]?.object?["id"] != first["user"]?.object?["id"])
    }
}
