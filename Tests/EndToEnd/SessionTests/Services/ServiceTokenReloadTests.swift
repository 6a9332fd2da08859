import TestSupport
import Testing

@testable import ServerSupport

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
