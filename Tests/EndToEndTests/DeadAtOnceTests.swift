import JSON
import TestSupport
import Testing

@Suite("What has ended")
struct DeadAtOnceTests {
    @Test(
        "is refused from the very next request on, whoever ended it, and still is after a kill of the server",
        arguments: [World.fastCGI, .nginx], Entrance.Door.allCases)
    func deadAtOnce(_ world: World, _ door: Entrance.Door) throws {
        let entrance = try Entrance(world)
        var ended: [(kill: Kill, login: Answer)] = []
        for kill in Kill.all {
            let login = try entrance.logIn(kill.name)
            #expect(try entrance.admits(login.accessToken, at: door), "\(kill.name)")
            try kill.act(entrance, login)
            #expect(try entrance.ask(door, login.accessToken) == kill.refusal, "\(kill.name)")
            ended.append((kill, login))
        }
        try entrance.killAndRestart()
        for (kill, login) in ended {
            for door in Entrance.Door.allCases {
                #expect(try entrance.ask(door, login.accessToken) == kill.refusal, "\(kill.name), after a kill")
            }
            let answer = try entrance.refresh(login.refreshToken)
            #expect(answer.status == 200 || "\(answer.status) \(answer.code ?? "")" == kill.refresh, "\(kill.name)")
            #expect((answer.status == 200) == (kill.refresh == nil), "\(kill.name)")
        }
    }

    @Test("was one session, and the others go on", arguments: [World.fastCGI, .nginx])
    func others(_ world: World) throws {
        let entrance = try Entrance(world)
        for kill in Kill.all where ["logout", "own-session", "revoke"].contains(kill.name) {
            let logins = try (0..<2).map { _ in try entrance.logIn(kill.name) }
            try kill.act(entrance, logins[0])
            #expect(try entrance.ask(.guarded, logins[0].accessToken) == kill.refusal)
            #expect(try entrance.admits(logins[1].accessToken, at: .guarded), "\(kill.name)")
        }
    }

    @Test("stays ended when its user is enabled again; they sign in anew", arguments: [World.fastCGI, .nginx])
    func enabled(_ world: World) throws {
        let entrance = try Entrance(world)
        let old = try entrance.logIn("enabled")
        try entrance.house.operate("users", "disable", "enabled@example.com")
        #expect(try entrance.logIn("enabled").code == "user_disabled")
        try entrance.house.operate("users", "enable", "enabled@example.com")
        for door in Entrance.Door.allCases {
            #expect(try entrance.ask(door, old.accessToken) == "401 session_revoked")
        }
        #expect(try entrance.refresh(old.refreshToken).code == "refresh_token_revoked")
        let new = try entrance.logIn("enabled")
        #expect(new["isNewUser"] == false)
        for door in Entrance.Door.allCases { #expect(try entrance.admits(new.accessToken, at: door)) }
        #expect(try entrance.ask(.guarded, old.accessToken) == "401 session_revoked")
    }

    @Test("by a hand that gave no reason, or one of its own, has ended all the same", arguments: ["NULL", "'mine'"])
    func byHand(_ reason: String) throws {
        let house = try ServedHouse()
        let login = try house.devLogin("by-hand@example.com")
        try house.change("UPDATE refresh_tokens SET revoked_at = unixepoch() * 1000, revoke_reason = \(reason)")
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_revoked")
        #expect(try house.me(login.accessToken).code == "session_revoked")
    }

    @Test("was an account: the same person is somebody new", arguments: ["own-account", "delete"])
    func newUser(_ name: String) throws {
        let entrance = try Entrance(.fastCGI)
        let old = try entrance.logIn(name)
        try #require(Kill.all.first { $0.name == name }).act(entrance, old)
        let new = try entrance.logIn(name)
        #expect(new["isNewUser"] == true)
        #expect(new.userID != old.userID)
        #expect(try entrance.admits(new.accessToken, at: .api))
        #expect(try entrance.ask(.api, old.accessToken) == "401 session_revoked")
    }

    @Test("was a role: the very next refresh brings the new one, as often as it changes")
    func roles() throws {
        let entrance = try Entrance(.fastCGI)
        var pair = try entrance.logIn("roles")
        let user = pair.userID
        for role in ["ADMIN", "USER", "SUPER_ADMIN", "ADMIN"] {
            let before = pair.accessToken
            try entrance.house.operate("users", "role", user, role)
            pair = try entrance.refresh(pair.refreshToken)
            #expect(pair.status == 200)
            let admitted = try entrance.send(.get("/api/auth/verify", bearer: pair.accessToken))
            #expect(admitted.status == 204)
            #expect(admitted.header("x-user-role") == role)
            #expect(try entrance.ask(.guarded, before) == "401 session_revoked")
        }
        try entrance.house.operate("users", "role", user, "USER")
        let login = try entrance.logIn("roles")
        let admitted = try entrance.send(.get("/api/auth/verify", bearer: login.accessToken))
        #expect(admitted.header("x-user-role") == "USER")
    }

    @Test(
        "is noticed before long also where nobody gives a sign of it",
        arguments: [
            ("UPDATE users SET status = 'DISABLED'", "403 user_disabled"),
            ("UPDATE users SET role = 'SUPER_ADMIN'", "401 session_revoked"),
            ("UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked'", "401 session_revoked"),
            ("DELETE FROM refresh_tokens", "401 session_revoked"),
        ])
    func byHand(sql: String, refusal: String) throws {
        let entrance = try Entrance(.fastCGI)
        let login = try entrance.logIn("hand")
        #expect(try entrance.admits(login.accessToken, at: .guarded))
        try entrance.house.change(sql)
        #expect(Eventually.holds { (try? entrance.ask(.guarded, login.accessToken)) == refusal })
    }
}
