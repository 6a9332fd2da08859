import JSON
import Testing

/// A client that logs out without a network has no valid access token when it is online again.
@Suite("Logout by a refresh token alone")
struct LogoutByRefreshTokenTests {
    private func logOut(_ token: String, at installation: some Installation) throws -> TestResponse {
        try installation.send(.post("/api/auth/logout", ["refreshToken": .string(token)]))
    }

    @Test("The session ends at once, and a repeated request gets the same answer", arguments: TestEnvironment.allCases)
    func endsAtOnce(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let login = try installation.devLogin("offline-\(environment)@example.com")
        let other = try installation.devLogin("offline-\(environment)@example.com")
        for _ in 0..<2 {
            let response = try installation.send(
                .post("/api/auth/logout", ["refreshToken": .string(login.refreshToken)]))
            #expect(response.status == 204)
            #expect(response.body.isEmpty)
        }
        #expect(try installation.me(login.accessToken).code == "session_revoked")
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_revoked")
        #expect(try installation.me(other.accessToken).status == 200)
    }

    @Test("A superseded token ends the session too", arguments: [1, 2, 3])
    func superseded(_ rotations: Int) throws {
        let installation = try InProcessInstallation()
        let login = try installation.devLogin("superseded@example.com")
        var newest = login
        for _ in 0..<rotations { newest = try installation.refresh(newest.refreshToken) }
        #expect(try logOut(login.refreshToken, at: installation).status == 204)
        #expect(try installation.me(newest.accessToken).code == "session_revoked")
        #expect(try installation.refresh(newest.refreshToken).code == "refresh_token_revoked")
    }

    @Test("An expired token ends the session that its successor keeps active")
    func expired() throws {
        let installation = try InProcessInstallation { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try installation.devLogin("expired@example.com")
        installation.advanceClock(by: .seconds(1800))
        let next = try installation.refresh(login.refreshToken)
        installation.advanceClock(by: .seconds(2000))
        #expect(try logOut(login.refreshToken, at: installation).status == 204)
        #expect(try installation.refresh(next.refreshToken).code == "refresh_token_revoked")
    }

    @Test("A token of a session that has expired, and was deleted, is answered like any other")
    func deleted() throws {
        let installation = try InProcessInstallation { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try installation.devLogin("deleted@example.com")
        for _ in 0..<2 {
            installation.advanceClock(by: .seconds(4000))
            #expect(try logOut(login.refreshToken, at: installation).status == 204)
            try installation.runMaintenance()
        }
    }

    @Test("A token that Gatehouse did not issue is refused and ends nothing", arguments: TestEnvironment.allCases)
    func foreign(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let login = try installation.devLogin("signed-\(environment)@example.com")
        let payload = login.refreshToken.split(separator: ".").map(String.init)[1]
        let forged = try ForgedToken.refreshToken(like: payload, generation: 1)
        for token in [login.accessToken, forged, String(login.refreshToken.dropLast(2)), "x"] {
            let response = try installation.send(.post("/api/auth/logout", ["refreshToken": .string(token)]))
            #expect(response.status == 401)
            #expect(response.code == "invalid_refresh_token")
        }
        #expect(try installation.me(login.accessToken).status == 200)
    }
}
