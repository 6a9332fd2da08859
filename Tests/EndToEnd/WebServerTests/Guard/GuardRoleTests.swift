import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The location has one more line: `set $gatehouse_role ADMIN;`.
@Suite("Roles that a guarded location requires")
struct GuardRoleTests {
    private static let roles = ["USER", "ADMIN", "SUPER_ADMIN"]

    private static func challenge(requiring role: String?) -> String {
        "Bearer error=\"insufficient_scope\", error_description=\"insufficient_role\""
            + (role.map { ", scope=\"\($0)\"" } ?? "")
    }

    private func verify(_ server: any TestServer, _ bearer: String?, requiring role: String) throws
        -> TestResponse
    {
        var request = TestRequest.get("/api/auth/verify", bearer: bearer)
        request.demandedRole = role
        return try server.send(request)
    }

    @Test("The role in the database decides")
    func databaseRole() throws {
        let server = try ServerProcess()
        let before = try server.devLogin("promoted@example.com").accessToken
        #expect(try verify(server, before, requiring: "ADMIN").status == 403)
        try server.change("UPDATE users SET role = 'ADMIN' WHERE email = 'promoted@example.com'")
        let response = try verify(
            server, server.devLogin("promoted@example.com").accessToken, requiring: "ADMIN")
        #expect(response.status == 204)
        #expect(response.header("x-user-role") == "ADMIN")
    }

    @Test("An unknown required role refuses every user", arguments: ["ADMNI", "admin", " ADMIN", ""])
    func unknownRole(_ role: String) throws {
        let server = try SharedServers.standard(.handler)
        let login = try server.devLogin("misspelt@example.com").accessToken
        let highest = try ForgedToken.accessToken(like: login, role: "SUPER_ADMIN")
        for bearer in [nil, login, highest] {
            let response = try verify(server, bearer, requiring: role)
            #expect(response.status == 403)
            // RFC 6750: the challenge has no error code when the request has no credentials.
            #expect(response.header("www-authenticate") == (bearer == nil ? "Bearer" : Self.challenge(requiring: nil)))
        }
    }

    @Test("An unknown required role is logged once, not per request")
    func unknownRoleIsLogged() throws {
        let server = try InProcessServer()
        for role in ["ADMNI", "ADMNI", "ROOT", "ADMNI"] {
            #expect(try verify(server, nil, requiring: role).status == 403)
        }
        let lines = server.log.split(separator: "\n").filter { $0.contains(#""event":"guard""#) }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""level":"error""#) })
        #expect(lines.first?.contains(#""role":"ADMNI""#) == true && lines.last?.contains(#""role":"ROOT""#) == true)
    }

    @Test("nginx requires the role of the matching location only")
    func locations() throws {
        let fixture = try GuardFixture.shared.get()
        let least = [
            "/notes/": 0, "/notes/user/": 0, "/notes/admin/": 1, "/notes/owner/": 2, "/notes/%61dmin/": 1,
            "/notes//admin/": 1,
        ]
        for (height, role) in Self.roles.enumerated() {
            let token = try fixture.token(role, of: "locations-\(role)@example.com")
            for (path, needed) in least {
                let response = try fixture.server.send(.get(path + "1", bearer: token))
                #expect(response.status == (height >= needed ? 200 : 403), "\(role) at \(path)")
            }
        }
        let low = try fixture.token(of: "low@example.com")
        for (path, role) in [("/notes/admin/1", "ADMIN"), ("/notes/owner/1", "SUPER_ADMIN")] {
            try expectRefusal(try fixture.server.send(.get(path, bearer: low)), role)
            #expect(try fixture.server.send(.get(path)).code == "invalid_access_token")
        }
    }

    @Test(
        "A location whose role nginx cannot apply refuses every user",
        arguments: ["/unknown-role/", "/outer/inner/", "/early/"])
    func unappliedRole(_ path: String) throws {
        let fixture = try GuardFixture.shared.get()
        for role in Self.roles {
            let token = try fixture.token(role, of: "forgotten@example.com")
            try expectRefusal(try fixture.server.send(.get(path + role, bearer: token)), nil)
            #expect(fixture.upstream.requests(at: path + role).isEmpty)
        }
    }

    @Test("After an internal redirect, the role of the final location is required")
    func internalRedirect() throws {
        let fixture = try GuardFixture.shared.get()
        for (role, status) in [("USER", 403), ("ADMIN", 403), ("SUPER_ADMIN", 200)] {
            let token = try fixture.token(role, of: "late@example.com")
            #expect(try fixture.server.send(.get("/late/1", bearer: token)).status == status)
        }
    }

    private func expectRefusal(_ response: TestResponse, _ required: String?) throws {
        #expect(response.status == 403)
        #expect(response.code == "insufficient_role")
        #expect(response["detail"]?.string == "This request needs a higher role than the user has.")
        #expect(response.header("content-type") == "application/problem+json")
        #expect(
            response.headers.filter { $0.name == "www-authenticate" }.map(\.value)
                == [Self.challenge(requiring: required)])
    }
}
