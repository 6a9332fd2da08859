import Testing

@Suite("Signing out everywhere")
struct LogoutEverywhereTests {
    private func signOut(_ house: any House, _ bearer: String?) throws -> Answer {
        try house.send(.post("/api/auth/logout-all", bearer: bearer))
    }

    @Test("ends every session of the user, and of nobody else", arguments: World.allCases)
    func all(_ world: World) throws {
        let house = try Houses.of(world)
        let logins = try (0..<3).map { _ in try house.devLogin("everywhere-\(world)@example.com") }
        let other = try house.devLogin("elsewhere-\(world)@example.com")
        let answer = try signOut(house, logins[1].accessToken)
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        for login in logins {
            #expect(try house.me(login.accessToken).code == "session_revoked")
            #expect(try house.refresh(login.refreshToken).code == "refresh_token_revoked")
        }
        #expect(try house.me(other.accessToken).status == 200)
        #expect(try house.devLogin("everywhere-\(world)@example.com").status == 200)
    }

    @Test("again is as good as once, also for whoever missed the answer", arguments: World.allCases)
    func again(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("again-\(world)@example.com")
        for _ in 0..<3 { #expect(try signOut(house, login.accessToken).status == 204) }
    }

    @Test("is nothing that the token of a session that was ended otherwise can do")
    func dead() throws {
        let house = try Houses.of(.handler)
        let stolen = try house.devLogin("stolen@example.com")
        let kept = try house.devLogin("stolen@example.com")
        #expect(try house.send(.post("/api/auth/logout", bearer: stolen.accessToken)).status == 204)
        #expect(try signOut(house, stolen.accessToken).code == "session_revoked")
        #expect(try house.me(kept.accessToken).status == 200)
    }

    @Test("and signing in anew: the new session does not end when the old token asks once more")
    func newSession() throws {
        let house = try Houses.of(.handler)
        let old = try house.devLogin("anew@example.com")
        #expect(try signOut(house, old.accessToken).status == 204)
        let new = try house.devLogin("anew@example.com")
        #expect(try signOut(house, old.accessToken).status == 204)
        #expect(try house.me(new.accessToken).status == 200)
    }

    @Test("needs to know whom", arguments: [nil, "x"])
    func nobody(_ bearer: String?) throws {
        #expect(try signOut(Houses.of(.handler), bearer).code == "invalid_access_token")
    }
}
