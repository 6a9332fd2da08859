import Testing

@testable import ServerSupport

@Suite("Logout everywhere")
struct LogoutEverywhereTests {
    private func logOut(_ server: any TestServer, _ bearer: String) throws -> TestResponse {
        try server.send(.post("/api/auth/logout-all", bearer: bearer))
    }

    @Test("Every session of the user ends, and no session of other users")
    func all() throws {
        let server = try SharedServers.standard(.nginx)
        let logins = try (0..<3).map { _ in try server.devLogin("everywhere@example.com") }
        let other = try server.devLogin("elsewhere@example.com")
        let response = try logOut(server, logins[1].accessToken)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        for login in logins {
            #expect(try server.me(login.accessToken).code == "session_revoked")
            #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
        }
        #expect(try server.me(other.accessToken).status == 200)
        #expect(try server.devLogin("everywhere@example.com").status == 200)
    }

    @Test("A session that ended in another way cannot end the others")
    func endedSession() throws {
        let server = try SharedServers.standard(.handler)
        let stolen = try server.devLogin("stolen@example.com")
        let kept = try server.devLogin("stolen@example.com")
        #expect(try server.send(.post("/api/auth/logout", bearer: stolen.accessToken)).status == 204)
        #expect(try logOut(server, stolen.accessToken).code == "session_revoked")
        #expect(try server.me(kept.accessToken).status == 200)
    }

    @Test("A repeated request gets the same answer, and does not end a newer session")
    func newSession() throws {
        let server = try SharedServers.standard(.handler)
        let old = try server.devLogin("anew@example.com")
        #expect(try logOut(server, old.accessToken).status == 204)
        let new = try server.devLogin("anew@example.com")
        #expect(try logOut(server, old.accessToken).status == 204)
        #expect(try server.me(new.accessToken).status == 200)
    }
}
