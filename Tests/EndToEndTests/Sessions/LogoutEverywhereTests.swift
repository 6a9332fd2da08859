import Testing

@Suite("Logout everywhere")
struct LogoutEverywhereTests {
    private func logOut(_ installation: any Installation, _ bearer: String?) throws -> TestResponse {
        try installation.send(.post("/api/auth/logout-all", bearer: bearer))
    }

    @Test("Every session of the user ends, and no session of other users", arguments: TestEnvironment.allCases)
    func all(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let logins = try (0..<3).map { _ in try installation.devLogin("everywhere-\(environment)@example.com") }
        let other = try installation.devLogin("elsewhere-\(environment)@example.com")
        let response = try logOut(installation, logins[1].accessToken)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        for login in logins {
            #expect(try installation.me(login.accessToken).code == "session_revoked")
            #expect(try installation.refresh(login.refreshToken).code == "refresh_token_revoked")
        }
        #expect(try installation.me(other.accessToken).status == 200)
        #expect(try installation.devLogin("everywhere-\(environment)@example.com").status == 200)
    }

    @Test("A repeated request gets the same answer", arguments: TestEnvironment.allCases)
    func repeated(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let login = try installation.devLogin("again-\(environment)@example.com")
        for _ in 0..<3 { #expect(try logOut(installation, login.accessToken).status == 204) }
    }

    @Test("A session that ended in another way cannot end the others")
    func endedSession() throws {
        let installation = try SharedInstallations.standard(.handler)
        let stolen = try installation.devLogin("stolen@example.com")
        let kept = try installation.devLogin("stolen@example.com")
        #expect(try installation.send(.post("/api/auth/logout", bearer: stolen.accessToken)).status == 204)
        #expect(try logOut(installation, stolen.accessToken).code == "session_revoked")
        #expect(try installation.me(kept.accessToken).status == 200)
    }

    @Test("A repeated request does not end a newer session")
    func newSession() throws {
        let installation = try SharedInstallations.standard(.handler)
        let old = try installation.devLogin("anew@example.com")
        #expect(try logOut(installation, old.accessToken).status == 204)
        let new = try installation.devLogin("anew@example.com")
        #expect(try logOut(installation, old.accessToken).status == 204)
        #expect(try installation.me(new.accessToken).status == 200)
    }

    @Test("A valid access token is required", arguments: [nil, "x"])
    func unauthenticated(_ bearer: String?) throws {
        #expect(try logOut(SharedInstallations.standard(.handler), bearer).code == "invalid_access_token")
    }
}
