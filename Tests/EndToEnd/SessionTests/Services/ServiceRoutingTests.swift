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
        let several = try server.send(.get("/users?id=user_only_in_a_query", bearer: ServiceFixture.token))
        for response in [one, several] {
            let id = try #require(response.header("x-request-id"))
            #expect(Eventually.holds { server.server.accessLog.contains(id) })
        }
        #expect(server.server.accessLog.contains(#""path":"/users/user_01M7YNB6HPBMZVXV14J3858S8R""#))
        #expect(!server.server.accessLog.contains("only_in_a_query"))
    }

    @Test("A body of more than 64 KiB is refused")
    func largeBody() throws {
        var request = TestRequest.form("/introspect", "token=" + String(repeating: "x", count: 65_537))
        request.headers.append(("Authorization", "Bearer " + ServiceFixture.token))
        #expect(try ServiceServers.nginx.get().send(request).status == 413)
    }
}

@Suite("Changing the tokens of services")
struct ServiceTokenReloadTests {
    private func status(_ server: ServerProcess, _ token: String) throws -> Int {
        try server.send(.get("/users/x", bearer: token)).status
    }

    @Test("A reload replaces a token, with both in between, and a faulty file changes nothing")
    func replaced() throws {
        let (old, new) = (ServiceFixture.token, ServiceFixture.otherToken)
        let configured = try ServerWithConfigurationFile(["SERVICE_TOKENS": "shop \(old)"])
        let server = configured.server
        #expect(try status(server, old) == 404 && status(server, new) == 401)
        #expect(try configured.reload(["SERVICE_TOKENS": "shop \(old)\nshop \(new)"]).contains("SERVICE_TOKENS"))
        #expect(try status(server, old) == 404 && status(server, new) == 404)
        let refused = try configured.reload(["SERVICE_TOKENS": "shop short"])
        #expect(refused.contains("reload_refused") && !refused.contains("short"))
        #expect(try status(server, old) == 404)
        try configured.reload(["SERVICE_TOKENS": "shop \(new)"])
        #expect(try status(server, old) == 401 && status(server, new) == 404)
        try configured.reload(["SERVICE_TOKENS": nil])
        #expect(try status(server, new) == 401)
    }

    @Test("Requests are counted and logged by service, and no token is in the log")
    func observed() throws {
        let server = try ServerProcess(ServiceServers.configure)
        let login = try server.devLogin("observed@example.com")
        for _ in 0..<3 { _ = try server.send(.get("/users/" + login.userID, bearer: ServiceFixture.token)) }
        var request = TestRequest.form("/introspect", "token=" + login.accessToken)
        request.headers.append(("Authorization", "Bearer " + ServiceFixture.otherToken))
        _ = try server.send(request)
        _ = try server.send(.get("/users/x", bearer: "wrong-token-of-a-service-0123456789"))
        let metrics = String(decoding: try server.send(.get("/metrics")).body, as: UTF8.self)
        for line in [#"{service="knowledge-base"} 3"#, #"{service="shop"} 1"#, #"{service="user:root"} 0"#] {
            #expect(metrics.contains("gatehouse_service_requests_total" + line), "\(line)")
        }
        server.process.stop()
        let log = server.process.log
        let lines = log.split(separator: "\n").filter { $0.contains(#""event":"request""#) }
        let known = lines.filter { $0.contains(#""service":"knowledge-base""#) }
        #expect(known.count == 3 && known.allSatisfy { $0.contains("/users/{id}") && $0.contains(#""level":"debug""#) })
        let asked = lines.filter { $0.contains(#""service":"shop""#) }
        #expect(asked.count == 1 && asked[0].contains(login.userID))
        #expect(lines.contains { $0.contains(#""level":"info""#) && $0.contains("invalid_service_token") })
        for secret in [ServiceFixture.token, ServiceFixture.otherToken, "wrong-token", login.accessToken] {
            #expect(!log.contains(secret) && !metrics.contains(secret))
        }
    }
}
