import JSON
import TestSupport
import Testing

/// The one more line: `set $gatehouse_role ADMIN;`.
@Suite("A role that a guarded location demands")
struct GuardRoleTests {
    private static let roles = ["USER", "ADMIN", "SUPER_ADMIN"]

    private static func challenge(demanding role: String?) -> String {
        "Bearer error=\"insufficient_scope\", error_description=\"insufficient_role\""
            + (role.map { ", scope=\"\($0)\"" } ?? "")
    }

    private func verify(_ house: any House, _ bearer: String?, demanding role: String) throws -> Answer {
        var call = Call.get("/api/auth/verify", bearer: bearer)
        call.demandedRole = role
        return try house.send(call)
    }

    @Test("is the least that lets somebody in", arguments: [World.handler, .fastCGI])
    func order(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("order-\(world)@example.com").accessToken
        for (height, role) in Self.roles.enumerated() {
            let token = try Forgery.accessToken(like: login, role: role)
            for (least, demanded) in Self.roles.enumerated() {
                let answer = try verify(house, token, demanding: demanded)
                #expect(answer.status == (height >= least ? 204 : 403), "\(role) where \(demanded) is demanded")
                #expect(answer.header("x-problem-code") == (height >= least ? nil : "insufficient_role"))
            }
        }
    }

    @Test("is refused as RFC 6750 says, to whoever has shown who they are", arguments: [World.handler, .fastCGI])
    func challenges(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("challenge-\(world)@example.com").accessToken
        let refused = try verify(house, login, demanding: "ADMIN")
        #expect(refused.header("www-authenticate") == Self.challenge(demanding: "ADMIN"))
        #expect(refused.header("x-user-id") == nil)
        let highest = try verify(house, login, demanding: "SUPER_ADMIN")
        #expect(highest.header("www-authenticate") == Self.challenge(demanding: "SUPER_ADMIN"))
        // A role that does not exist is no scope to ask for.
        let misspelt = try verify(house, login, demanding: "ADMNI")
        #expect(misspelt.header("www-authenticate") == Self.challenge(demanding: nil))
        #expect(try verify(house, nil, demanding: "ADMIN").status == 401)
        #expect(try verify(house, "x", demanding: "ADMIN").header("x-problem-code") == "invalid_access_token")
    }

    @Test("is compared with the one that the user has in the database")
    func stored() throws {
        let house = try ServedHouse()
        let before = try house.devLogin("promoted@example.com").accessToken
        #expect(try verify(house, before, demanding: "ADMIN").status == 403)
        try house.change("UPDATE users SET role = 'ADMIN' WHERE email = 'promoted@example.com'")
        let answer = try verify(house, house.devLogin("promoted@example.com").accessToken, demanding: "ADMIN")
        #expect(answer.status == 204)
        #expect(answer.header("x-user-role") == "ADMIN")
    }

    @Test("that is none lets nobody in", arguments: [World.handler, .fastCGI], ["ADMNI", "admin", " ADMIN", ""])
    func misspelt(_ world: World, _ role: String) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("misspelt-\(world)@example.com").accessToken
        let highest = try Forgery.accessToken(like: login, role: "SUPER_ADMIN")
        for bearer in [nil, login, highest] {
            let answer = try verify(house, bearer, demanding: role)
            #expect(answer.status == 403)
            // No error where no credentials were sent.
            #expect(answer.header("www-authenticate") == (bearer == nil ? "Bearer" : Self.challenge(demanding: nil)))
        }
    }

    @Test("that is none is named in the log, once and not for every request")
    func logged() throws {
        let house = try ServedHouse()
        for role in ["ADMNI", "ADMNI", "ROOT", "ADMNI"] {
            #expect(try verify(house, nil, demanding: role).status == 403)
        }
        #expect(Eventually.holds { house.process.log.contains(#""role":"ROOT""#) })
        let lines = house.process.log.split(separator: "\n").filter { $0.contains(#""event":"guard""#) }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""level":"error""#) })
        #expect(lines.first?.contains(#""role":"ADMNI""#) == true)
    }

    @Test("is demanded by nginx of this location and no other")
    func locations() throws {
        let stand = try GuardedStand.shared.get()
        let least = [
            "/notes/": 0, "/notes/user/": 0, "/notes/admin/": 1, "/notes/owner/": 2, "/notes/%61dmin/": 1,
            "/notes//admin/": 1,
        ]
        for (height, role) in Self.roles.enumerated() {
            let token = try stand.token(role, of: "locations-\(role)@example.com")
            for (path, needed) in least {
                let answer = try stand.house.send(.get(path + "1", bearer: token))
                #expect(answer.status == (height >= needed ? 200 : 403), "\(role) at \(path)")
            }
        }
        try expectRefusal(
            try stand.house.send(.get("/notes/admin/1", bearer: stand.token(of: "low@example.com"))), "ADMIN")
    }

    @Test("lets nobody in where nginx would forget it", arguments: ["/misspelt/", "/outer/inner/", "/early/"])
    func forgotten(_ path: String) throws {
        let stand = try GuardedStand.shared.get()
        for role in Self.roles {
            let token = try stand.token(role, of: "forgotten@example.com")
            try expectRefusal(try stand.house.send(.get(path + role, bearer: token)), nil)
            #expect(stand.upstream.arrivals(at: path + role).isEmpty)
        }
    }

    @Test("is that of the location where a request ends up")
    func internalRedirect() throws {
        let stand = try GuardedStand.shared.get()
        for (role, status) in [("USER", 403), ("ADMIN", 403), ("SUPER_ADMIN", 200)] {
            let token = try stand.token(role, of: "late@example.com")
            #expect(try stand.house.send(.get("/late/1", bearer: token)).status == status)
        }
    }

    private func expectRefusal(_ answer: Answer, _ demanded: String?) throws {
        #expect(answer.status == 403)
        #expect(answer.code == "insufficient_role")
        #expect(answer["detail"]?.string == "this needs a higher role than the user's")
        #expect(answer.header("content-type") == "application/problem+json")
        #expect(
            answer.headers.filter { $0.name == "www-authenticate" }.map(\.value)
                == [Self.challenge(demanding: demanded)])
    }
}
