import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The location has one more line: `set $gatehouse_max_age 600;`.
@Suite("The maximum age of a login that a guarded location allows")
struct GuardMaximumAgeTests {
    private func verify(_ server: any TestServer, _ bearer: String?, _ age: String, role: String? = nil) throws
        -> TestResponse
    {
        var request = TestRequest.get("/api/auth/verify", bearer: bearer)
        (request.demandedLogin, request.demandedRole) = (age, role)
        return try server.send(request)
    }

    private static let challenge =
        "Bearer error=\"insufficient_user_authentication\", error_description=\"login_too_old\", max_age=600"

    @Test("A younger login passes, an older one gets the challenge of RFC 9470, and a refresh does not help")
    func limit() throws {
        let server = try InProcessServer()
        var login = try server.devLogin("aging@example.com")
        server.advanceClock(by: .seconds(560))
        let young = try verify(server, login.accessToken, "600")
        #expect(young.status == 204)
        #expect(young.header("x-auth-time") == login.accessClaims["auth_time"]?.description)
        server.advanceClock(by: .seconds(50))
        login = try server.refresh(login.refreshToken)
        let old = try verify(server, login.accessToken, "600")
        #expect(old.status == 401 && old.header("x-problem-code") == "login_too_old")
        #expect(old.header("www-authenticate") == Self.challenge)
        #expect(old.header("x-user-id") == nil)
        #expect(try server.verify(login.accessToken).status == 204, "another location")
        #expect(try verify(server, login.accessToken, "700").status == 204)
        #expect(try verify(server, login.accessToken, "600", role: "ADMIN").status == 403, "the role comes first")
        #expect(try verify(server, server.devLogin("aging@example.com").accessToken, "600").status == 204)
        #expect(try verify(server, nil, "600").header("x-problem-code") == "invalid_access_token")
    }

    @Test("A token without the time of its login counts as too old")
    func withoutTime() throws {
        let server = try SharedServers.standard(.handler)
        let login = try server.devLogin("timeless@example.com").accessToken
        let token = try ForgedToken.accessToken(like: login, authenticatedAt: nil)
        #expect(try verify(server, token, "600").header("x-problem-code") == "login_too_old")
        #expect(try server.verify(token).header("x-auth-time") == "0")
    }

    @Test("A value that is not a number refuses every user and is logged once")
    func unusable() throws {
        let server = try InProcessServer()
        let token = try server.devLogin("unusable@example.com").accessToken
        let ages = [
            "10m", "", "-1", "+600", "6e2", "9999999999", "600 ", "600 acr=urn:gatehouse:3", "urn:gatehouse:2", "acr=2",
        ]
        for age in ages + ages {
            let response = try verify(server, token, age)
            #expect(response.status == 403 && response.header("x-problem-code") == "insufficient_role", "\(age)")
        }
        let lines = server.log.split(separator: "\n").filter { $0.contains(#""event":"guard""#) }
        #expect(lines.count == ages.count)
        for (line, age) in zip(lines, ages) { #expect(line.contains(#""login":"\#(age)""#)) }
    }

    // MARK: - Through nginx

    @Test("Through nginx, a recent login reaches the service with its time, which a client cannot set")
    func passed() throws {
        let fixture = try GuardFixture.shared.get()
        let login = try fixture.server.devLogin("recent@example.com")
        for path in ["/notes/recent/1", "/notes/1"] {
            var request = TestRequest.get(path, bearer: login.accessToken)
            request.headers += [("X-Auth-Time", "4000000000"), ("x-auth-time", "4000000001")]
            let arrived = try #require(UpstreamRequest(whole: try fixture.server.send(request).body))
            #expect(arrived.values(of: "X-Auth-Time") == [login.accessClaims["auth_time"]?.description])
        }
    }

    @Test("Through nginx, an older login gets the documented problem, and only at this location")
    func refused() throws {
        let fixture = try GuardFixture.shared.get()
        let login = try fixture.server.devLogin("stale@example.com").accessToken
        let hourAgo = Int64(Date().timeIntervalSince1970) - 3600
        let token = try ForgedToken.accessToken(like: login, authenticatedAt: hourAgo)
        let response = try fixture.server.send(.get("/notes/recent/1", bearer: token))
        expectProblem(response, 401, "login_too_old")
        #expect(response["detail"] == "This request needs a login that is at most 600 s old. Log in again.")
        #expect(response.header("www-authenticate") == Self.challenge)
        #expect(try fixture.server.send(.get("/notes/1", bearer: token)).status == 200)
        var request = TestRequest.get("/notes/recent/1", bearer: token)
        request.headers += [("GATEHOUSE_MAX_AGE", "999999"), ("Gatehouse-Max-Age", "999999")]
        #expect(try fixture.server.send(request).status == 401, "a client cannot set the limit")
        #expect(try fixture.server.send(.get("/unknown-age/1", bearer: login)).status == 403)
    }
}
