import JSON
import Testing

@testable import ServerSupport

@Suite("The guard's verify request")
struct GuardTests {
    private func verify(_ server: any TestServer, _ bearer: String?) throws -> TestResponse {
        try server.send(.get("/api/auth/verify", bearer: bearer))
    }

    @Test(
        "A valid token is answered with the user's id, role and session",
        arguments: [TestEnvironment.handler, .fastCGI])
    func admitted(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("guard-\(environment)@example.com")
        let response = try verify(server, login.accessToken)
        #expect(response.status == 204)
        #expect(response.header("x-user-id") == login["user"]?.object?["id"]?.string)
        #expect(response.header("x-user-role") == "USER")
        #expect(response.header("x-session-id")?.hasPrefix("sess_") == true)
        #expect(response.body.isEmpty)
    }

    @Test(
        "The method and the body of the guarded request do not matter",
        arguments: ["POST", "DELETE", "HEAD", "PROPFIND"])
    func anyMethod(_ method: String) throws {
        let server = try SharedServers.standard(.fastCGI)
        let login = try server.devLogin("any@example.com")
        var request = TestRequest.get("/api/auth/verify", bearer: login.accessToken)
        request.method = method
        request.body = [UInt8](repeating: 120, count: 70_000)
        #expect(try server.send(request).status == 204)
    }

    @Test("Any other credential is answered with 401", arguments: [TestEnvironment.handler, .fastCGI])
    func refused(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("refused-\(environment)@example.com")
        for bearer in [nil, "x", login.refreshToken] {
            let response = try verify(server, bearer)
            #expect(response.status == 401)
            #expect(response.header("x-problem-code") == "invalid_access_token")
            #expect(response.header("x-user-id") == nil)
        }
        _ = try server.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try verify(server, login.accessToken).header("x-problem-code") == "session_revoked")
    }

    @Test(
        "The verify path is not reachable from outside, however it is spelled",
        arguments: [
            "/api/auth/verify", "/api/auth//verify", "/api/auth/./verify", "/api/auth/x/../verify",
            "/api/auth/%76erify", "/api/auth/verify/", "/api/auth/verify?x=1", "//api/auth/verify",
            "/api/auth/verify%2f", "/_gatehouse/verify", "/healthz", "/readyz", "/metrics",
        ])
    func notReachable(_ path: String) throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("outside@example.com")
        let response = try server.send(.get(path, bearer: login.accessToken))
        #expect(response.status == 404)
        #expect(response.code == "not_found")
        #expect(response.header("x-user-id") == nil)
    }
}
