import JSON
import Testing

@Suite("The list of one's sessions")
struct SessionListTests {
    private func sessions(_ house: any House, _ bearer: String) throws -> [JSONObject] {
        let answer = try house.send(.get("/api/users/me/sessions", bearer: bearer))
        #expect(answer.status == 200)
        return try #require(answer["sessions"]?.array).compactMap(\.object)
    }

    private func end(_ house: any House, _ id: String, _ bearer: String?) throws -> Answer {
        var call = Call.get("/api/users/me/sessions/\(id)", bearer: bearer)
        call.method = "DELETE"
        return try house.send(call)
    }

    private func current(_ house: any House, _ login: Answer) throws -> String {
        let own = try sessions(house, login.accessToken).first { $0["current"] == true }
        return try #require(own?["id"]?.string)
    }

    @Test("tells of each where it is, since when and until when it was used", arguments: World.allCases)
    func list(_ world: World) throws {
        let house = try Houses.of(world)
        let logins = try (0..<3).map { _ in try house.devLogin("list-\(world)@example.com") }
        let listed = try sessions(house, logins[1].accessToken)
        #expect(listed.count == 3)
        for session in listed {
            #expect(
                session.names == [
                    "id", "provider", "device", "address", "lastDevice", "lastAddress", "createdAt", "lastUsedAt",
                    "current",
                ])
            #expect(session["provider"] == "DEV")
            #expect(session["device"]?.string?.isEmpty == false)
            #expect(session["address"] == "127.0.0.1")
            #expect(session["lastDevice"] == session["device"] && session["lastAddress"] == session["address"])
            #expect(session["lastUsedAt"] == session["createdAt"])
        }
        #expect(listed.filter { $0["current"] == true }.count == 1)
    }

    @Test("tells which device signed in, and which one refreshed last", arguments: World.allCases)
    func devices(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("devices-\(world)@example.com")
        var call = Call.refresh(login.refreshToken)
        call.headers.append(("User-Agent", "Another/2.0"))
        let refreshed = try house.send(call)
        let session = try #require(try sessions(house, refreshed.accessToken).first)
        #expect(session["device"] != "Another/2.0")
        #expect(session["lastDevice"] == "Another/2.0")
        #expect(session["lastAddress"] == "127.0.0.1")
    }

    @Test("has the one used last in front")
    func order() throws {
        let house = try InProcessHouse()
        let logins = try (0..<3).map { _ in
            house.setForward(by: .seconds(60))
            return try house.devLogin("order@example.com")
        }
        house.setForward(by: .seconds(60))
        #expect(try house.refresh(logins[0].refreshToken).status == 200)
        let listed = try sessions(house, logins[0].accessToken)
        #expect(listed.map { $0["current"] } == [true, false, false])
        let used = listed.compactMap { $0["lastUsedAt"]?.string }
        #expect(used == used.sorted().reversed())
        #expect(listed[0]["createdAt"] != listed[0]["lastUsedAt"])
    }

    @Test("leaves out what has ended, or has not been used for too long")
    func alive() throws {
        let house = try InProcessHouse { $0["REFRESH_TOKEN_TTL"] = "10m" }
        _ = try house.devLogin("alive@example.com")
        house.setForward(by: .seconds(400))
        let second = try house.devLogin("alive@example.com")
        let third = try house.devLogin("alive@example.com")
        house.setForward(by: .seconds(300))
        #expect(house.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        #expect(try sessions(house, third.accessToken).map { $0["current"] } == [true])
    }

    @Test("ends another one of them, at once and for good", arguments: World.allCases)
    func endsOther(_ world: World) throws {
        let house = try Houses.of(world)
        let here = try house.devLogin("ends-\(world)@example.com")
        let there = try house.devLogin("ends-\(world)@example.com")
        let id = try current(house, there)
        #expect(try end(house, id, here.accessToken).status == 204)
        #expect(try house.me(there.accessToken).code == "session_revoked")
        #expect(try house.refresh(there.refreshToken).code == "refresh_token_revoked")
        #expect(try house.me(here.accessToken).status == 200)
        #expect(try sessions(house, here.accessToken).count == 1)
        // The answer may have been lost.
        #expect(try end(house, id, here.accessToken).status == 204)
    }

    @Test("ends one's own, and says so again to whoever missed the answer", arguments: World.allCases)
    func endsOwn(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("own-\(world)@example.com")
        let id = try current(house, login)
        for _ in 0..<2 { #expect(try end(house, id, login.accessToken).status == 204) }
        #expect(try house.me(login.accessToken).code == "session_revoked")
    }

    @Test("knows nothing of other people's sessions", arguments: World.allCases)
    func foreign(_ world: World) throws {
        let house = try Houses.of(world)
        let mine = try house.devLogin("mine-list-\(world)@example.com")
        let theirs = try house.devLogin("theirs-list-\(world)@example.com")
        for id in [try current(house, theirs), "sess_none", "x", "%00", "%2e%2e"] {
            let answer = try end(house, id, mine.accessToken)
            #expect(answer.status == 404 || answer.status == 400)
            #expect(answer.header("content-type") == "application/problem+json")
        }
        #expect(try house.me(theirs.accessToken).status == 200)
        #expect(try end(house, try current(house, mine), nil).code == "invalid_access_token")
    }

    @Test("a session that has ended cannot end others")
    func deadHand() throws {
        let house = try Houses.of(.handler)
        let dead = try house.devLogin("dead-hand@example.com")
        let living = try house.devLogin("dead-hand@example.com")
        let id = try current(house, living)
        #expect(try house.send(.post("/api/auth/logout", bearer: dead.accessToken)).status == 204)
        #expect(try end(house, id, dead.accessToken).code == "session_revoked")
        #expect(try house.me(living.accessToken).status == 200)
    }
}
