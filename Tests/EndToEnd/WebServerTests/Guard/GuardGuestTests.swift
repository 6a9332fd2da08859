import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The location has one more line: `set $gatehouse_guests on;`.
@Suite("Guests at guarded locations, through nginx")
struct GuardGuestTests {
    private let fixture: GuardFixture
    private let guest: String

    init() throws {
        fixture = try GuardFixture.shared.get()
        guest = try fixture.server.send(.post("/api/auth/guest", [:])).accessToken
    }

    @Test("A guest gets the documented problem, but where the location itself says that guests pass")
    func refused() throws {
        for path in ["/notes/1", "/notes/user/1", "/notes/recent/1", "/outer/inner/1"] {
            #expect(try fixture.server.send(.get(path, bearer: guest)).status == 403, "\(path)")
        }
        expectProblem(try fixture.server.send(.get("/notes/1", bearer: guest)), 403, "guest")
        var request = TestRequest.get("/notes/1", bearer: guest)
        request.headers += [("GATEHOUSE_GUESTS", "on"), ("Gatehouse-Guests", "on"), ("X-User-Guest", "false")]
        #expect(try fixture.server.send(request).status == 403, "a client cannot set it")
        #expect(try fixture.server.send(.get("/notes/guests/1", bearer: guest)).status == 200)
    }

    @Test("A location that does not admit guests refuses them after an internal redirect from one that does")
    func redirected() throws {
        let user = try fixture.server.devLogin("redirected@example.com").accessToken
        for (path, status) in [("/rewritten/notes/1", 403), ("/failed/1", 403), ("/rewritten/notes/guests/1", 200)] {
            #expect(try fixture.server.send(.get(path, bearer: guest)).status == status, "\(path)")
            #expect(try fixture.server.send(.get(path, bearer: user)).status == 200, "\(path)")
        }
    }

    @Test("The service is told of a guest, and a client cannot say that its user is one or is none")
    func told() throws {
        let user = try fixture.server.devLogin("no-guest@example.com").accessToken
        for (token, expected) in [(guest, ["true"]), (user, [])] {
            var request = TestRequest.get("/notes/guests/1", bearer: token)
            request.headers += [("X-User-Guest", "maybe"), ("x-user-guest", "false")]
            let arrived = try #require(UpstreamRequest(whole: try fixture.server.send(request).body))
            #expect(arrived.values(of: "X-User-Guest") == expected)
        }
    }
}
