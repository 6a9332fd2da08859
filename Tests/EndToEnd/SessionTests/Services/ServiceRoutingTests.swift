import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Where nginx answers services.
@Suite("Requests of services at nginx")
struct ServiceRoutingTests {
    private static let fixture = Result {
        try LocalServer(locations: #"location /users { return 200 "the operator's page"; }"#)
    }

    @Test(
        "The public host has none of their paths",
        arguments: ["/users/x", "/users", "/users?id=x", "/introspect", "/users/"])
    func publicHost(_ path: String) throws {
        let server = try ServiceServers.nginx.get().server
        let response = try server.send(.get(path, bearer: ServiceFixture.token))
        #expect(response.status == 404 && response.code == "not_found")
        #expect(try server.send(.post(path, [:], bearer: ServiceFixture.token)).status == 404)
    }

    @Test("A path of the operator's site stays the operator's")
    func operatorsPath() throws {
        let response = try Self.fixture.get().server.send(.get("/users/7/profile"))
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == "the operator's page")
    }

    @Test("Their address refuses other host names, and has no other path")
    func otherRequests() throws {
        let server = try ServiceServers.nginx.get()
        for path in ["/users/x", "/introspect"] {
            var request = TestRequest.get(path, bearer: ServiceFixture.token)
            request.headers.append(("Host", "evil.example"))
            #expect(try server.send(request).status == 421)
        }
        for path in ["/usersx", "/introspect/", "/introspectx"] {
            #expect(try server.server.send(.get(path, bearer: ServiceFixture.token), at: server.origin).status == 404)
        }
    }

    @Test("nginx logs these requests without their query")
    func log() throws {
        let server = try ServiceServers.nginx.get()
        let one = try server.send(.get("/users/user_01M7YNB6HPBMZVXV14J3858S8R", bearer: ServiceFixture.token))
        let several = try server.send(.get("/users?id=user_unknown", bearer: ServiceFixture.token))
        for response in [one, several] {
            let id = try #require(response.header("x-request-id"))
            #expect(Eventually.holds { server.server.accessLog.contains(id) })
        }
        #expect(server.server.accessLog.contains(#""path":"/users/user_01M7YNB6HPBMZVXV14J3858S8R""#))
        #expect(!server.server.accessLog.contains("somebody"))
    }

    @Test("nginx's own user needs a token")
    func withoutToken() throws {
        let server = try ServiceServers.nginx.get()
        #expect(try server.send(.get("/users/x")).status == 401)
    }

    @Test("A body of more than 64 KiB is refused")
    func largeBody() throws {
        var request = TestRequest.form("/introspect", "token=" + String(repeating: "x", count: 65_537))
        request.headers.append(("Authorization", "Bearer " + ServiceFixture.token))
        #expect(try ServiceServers.nginx.get().send(request).status == 413)
    }
}
