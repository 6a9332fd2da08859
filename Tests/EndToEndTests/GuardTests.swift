import JSON
import Testing

@Suite("The question that nginx asks for a guarded request")
struct GuardTests {
    private func verify(_ house: any House, _ bearer: String?) throws -> Answer {
        try house.send(.get("/api/auth/verify", bearer: bearer))
    }

    @Test("is answered with who sent it", arguments: [World.handler, .fastCGI])
    func admitted(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("guard-\(world)@example.com")
        let answer = try verify(house, login.accessToken)
        #expect(answer.status == 204)
        #expect(answer.header("x-user-id") == login["user"]?.object?["id"]?.string)
        #expect(answer.header("x-user-role") == "USER")
        #expect(answer.header("x-session-id")?.hasPrefix("sess_") == true)
        #expect(answer.body.isEmpty)
    }

    @Test("is answered whatever the guarded request was like", arguments: ["POST", "DELETE", "HEAD", "PROPFIND"])
    func anyMethod(_ method: String) throws {
        let house = try Houses.of(.fastCGI)
        let login = try house.devLogin("any@example.com")
        var call = Call.get("/api/auth/verify", bearer: login.accessToken)
        call.method = method
        call.body = [UInt8](repeating: 120, count: 70_000)
        #expect(try house.send(call).status == 204)
    }

    @Test("is answered with 401 for anything else", arguments: [World.handler, .fastCGI])
    func refused(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("refused-\(world)@example.com")
        for bearer in [nil, "x", login.refreshToken] {
            let answer = try verify(house, bearer)
            #expect(answer.status == 401)
            #expect(answer.header("x-problem-code") == "invalid_access_token")
            #expect(answer.header("x-user-id") == nil)
        }
        _ = try house.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try verify(house, login.accessToken).header("x-problem-code") == "session_revoked")
    }

    @Test(
        "cannot be asked from outside, however it is spelt",
        arguments: [
            "/api/auth/verify", "/api/auth//verify", "/api/auth/./verify", "/api/auth/x/../verify",
            "/api/auth/%76erify", "/api/auth/verify/", "/api/auth/verify?x=1", "//api/auth/verify",
            "/api/auth/verify%2f", "/_gatehouse/verify", "/healthz", "/readyz", "/metrics",
        ])
    func outside(_ path: String) throws {
        let house = try Houses.of(.nginx)
        let login = try house.devLogin("outside@example.com")
        let answer = try house.send(.get(path, bearer: login.accessToken))
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
        #expect(answer.header("x-user-id") == nil)
    }
}
