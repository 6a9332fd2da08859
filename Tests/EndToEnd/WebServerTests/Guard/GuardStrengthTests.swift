import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// The location has one more line: `set $gatehouse_acr urn:gatehouse:2;`.
@Suite("The strength of a login that a guarded location demands")
struct GuardStrengthTests {
    private static let strong = "urn:gatehouse:2"
    private static let demand = "acr=urn:gatehouse:2"
    private static let challenge =
        "Bearer error=\"insufficient_user_authentication\", error_description=\"insufficient_authentication\", "
        + "acr_values=\"urn:gatehouse:2\""

    private func verify(_ server: any TestServer, _ bearer: String?, _ demand: String?, role: String? = nil) throws
        -> TestResponse
    {
        var request = TestRequest.get("/api/auth/verify", bearer: bearer)
        (request.demandedLogin, request.demandedRole) = (demand, role)
        return try server.send(request)
    }

    @Test("A passkey with user verification passes, and any other login gets the challenge of RFC 9470")
    func demanded() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("weak@example.com")
        for methods in [nil, "otp", "otp sms", "pop user", "mfa", "pop user mfa x"] {
            let weak = try server.refresh(login, signedInBy: methods)
            let refused = try verify(server, weak.accessToken, Self.demand)
            #expect(refused.status == 401 && refused.header("x-problem-code") == "insufficient_authentication")
            #expect(refused.header("www-authenticate") == Self.challenge)
            #expect(refused.header("x-user-id") == nil && refused.header("x-user-acr") == nil)
            for demand in [nil, "acr=urn:gatehouse:1", "600 acr=urn:gatehouse:1"] {
                let passed = try verify(server, weak.accessToken, demand)
                #expect(passed.status == 204 && passed.header("x-user-acr") == nil)
            }
        }
        let strong = try server.refresh(login, signedInBy: "pop user mfa").accessToken
        for demand in [
            nil, Self.demand, "acr=urn:gatehouse:1", "600 acr=urn:gatehouse:2", "acr=urn:gatehouse:2 600",
        ] {
            let passed = try verify(server, strong, demand)
            #expect(passed.status == 204 && passed.header("x-user-acr") == Self.strong, "\(demand ?? "")")
        }
        #expect(try verify(server, strong, Self.demand, role: "ADMIN").header("x-problem-code") == "insufficient_role")
        #expect(try verify(server, nil, Self.demand).header("x-problem-code") == "invalid_access_token")
    }

    @Test("The strength comes before the age, and both are demanded")
    func both() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("both@example.com")
        server.advanceClock(by: .seconds(700))
        let weak = try server.refresh(login, signedInBy: nil)
        func code(_ token: String) throws -> String? {
            try verify(server, token, "600 acr=urn:gatehouse:2").header("x-problem-code")
        }
        #expect(try code(weak.accessToken) == "insufficient_authentication")
        #expect(try code(server.refresh(weak, signedInBy: "pop user mfa").accessToken) == "login_too_old")
    }

    @Test("A token without acr, as before there was one, and one with another acr is of a weak login")
    func otherClaims() throws {
        let server = try SharedServers.standard(.handler)
        let login = try server.devLogin("older@example.com").accessToken
        for acr in [nil, "", "urn:gatehouse:3", "urn:gatehouse:2 ", "URN:GATEHOUSE:2", "2"] {
            let token = try ForgedToken.accessToken(like: login, acr: acr)
            #expect(try verify(server, token, Self.demand).header("x-problem-code") == "insufficient_authentication")
            #expect(try verify(server, token, "acr=urn:gatehouse:1").status == 204)
        }
        #expect(try verify(server, ForgedToken.accessToken(like: login, acr: Self.strong), Self.demand).status == 204)
    }

    // MARK: - Through nginx

    @Test("Through nginx, a weak login gets the documented problem, and only at this location")
    func refused() throws {
        let fixture = try GuardFixture.shared.get()
        let weak = try fixture.server.devLogin("weak-nginx@example.com").accessToken
        let response = try fixture.server.send(.get("/notes/strong/1", bearer: weak))
        expectProblem(response, 401, "insufficient_authentication")
        #expect(response.header("www-authenticate") == Self.challenge)
        for path in ["/notes/1", "/notes/plain/1"] {
            #expect(try fixture.server.send(.get(path, bearer: weak)).status == 200)
        }
        var request = TestRequest.get("/notes/strong/1", bearer: weak)
        request.headers += [
            ("GATEHOUSE_MAX_AGE", "acr=urn:gatehouse:1"), ("Gatehouse-Acr", "urn:gatehouse:1"),
            ("X-User-Acr", Self.strong),
        ]
        #expect(try fixture.server.send(request).status == 401, "a client cannot set it")
        #expect(try fixture.server.send(.get("/unknown-acr/1", bearer: weak)).status == 403)
    }

    @Test("Through nginx, a strong login reaches the service with its acr, which a client cannot set")
    func passed() throws {
        let fixture = try GuardFixture.shared.get()
        let weak = try fixture.server.devLogin("strong-nginx@example.com").accessToken
        let strong = try ForgedToken.accessToken(like: weak, acr: Self.strong)
        for (path, token, acr) in [
            ("/notes/strong/1", strong, [Self.strong]), ("/notes/fresh/1", strong, [Self.strong]),
            ("/notes/1", strong, [Self.strong]), ("/notes/1", weak, []),
        ] {
            var request = TestRequest.get(path, bearer: token)
            request.headers += [("X-User-Acr", "urn:gatehouse:9"), ("x-user-acr", "urn:gatehouse:8")]
            let arrived = try #require(UpstreamRequest(whole: try fixture.server.send(request).body))
            #expect(arrived.values(of: "X-User-Acr") == acr, "\(path)")
        }
        let hourAgo = Int64(Date().timeIntervalSince1970) - 3600
        let old = try ForgedToken.accessToken(like: strong, authenticatedAt: hourAgo)
        expectProblem(try fixture.server.send(.get("/notes/fresh/1", bearer: old)), 401, "login_too_old")
        #expect(try fixture.server.send(.get("/notes/strong/1", bearer: old)).status == 200)
    }
}
