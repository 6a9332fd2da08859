import JSON
import Testing

@Suite("Deleting one's account")
struct AccountDeletionTests {
    private func delete(_ house: any House, _ bearer: String?) throws -> Answer {
        var call = Call.get("/api/users/me", bearer: bearer)
        call.method = "DELETE"
        return try house.send(call)
    }

    @Test("ends it at once, with every session", arguments: World.allCases)
    func atOnce(_ world: World) throws {
        let house = try Houses.of(world)
        let logins = try (0..<2).map { _ in try house.devLogin("gone-\(world)@example.com") }
        let answer = try delete(house, logins[0].accessToken)
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        for login in logins {
            #expect(try house.me(login.accessToken).code == "session_revoked")
            #expect(try house.refresh(login.refreshToken).code == "invalid_refresh_token")
        }
    }

    @Test("and signing in again makes a new user, by Apple too", arguments: World.allCases)
    func newUser(_ world: World) throws {
        let house = try Houses.of(world)
        let subject = "deleted-\(world)"
        let first = try house.send(.post("/api/auth/apple", house.apple.login(subject)))
        #expect(try delete(house, first.accessToken).status == 204)
        let second = try house.send(.post("/api/auth/apple", house.apple.login(subject)))
        #expect(second.status == 200)
        #expect(second["isNewUser"] == true)
        #expect(second["user"]?.object?["id"] != first["user"]?.object?["id"])
    }

    @Test("is for whoever is signed in", arguments: [nil, "x"])
    func nobody(_ bearer: String?) throws {
        #expect(try delete(Houses.of(.handler), bearer).code == "invalid_access_token")
    }
}
