import JSON
import Testing

@testable import ServerSupport

@Suite("The list of sessions")
struct SessionListTests {
    private func sessions(_ server: any TestServer, _ bearer: String) throws -> [JSONObject] {
        let response = try server.send(.get("/api/users/me/sessions", bearer: bearer))
        #expect(response.status == 200)
        return try #require(response["sessions"]?.array).compactMap(\.object)
    }

    private func end(_ server: any TestServer, _ id: String, _ bearer: String?) throws -> TestResponse {
        var request = TestRequest.get("/api/users/me/sessions/\(id)", bearer: bearer)
        request.method = "DELETE"
        return try server.send(request)
    }

    private func current(_ server: any TestServer, _ login: TestResponse) throws -> String {
        let own = try sessions(server, login.accessToken).first { $0["current"] == true }
        return try #require(own?["id"]?.string)
    }

    @Test("Each session is listed with device, address and times", arguments: TestEnvironment.allCases)
    func list(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let logins = try (0..<3).map { _ in try server.devLogin("list-\(environment)@example.com") }
        let listed = try sessions(server, logins[1].accessToken)
        #expect(listed.count == 3)
        for session in listed {
            #expect(
                session.names == [
                    "id", "provider", "device", "address", "lastDevice", "lastAddress", "createdAt", "lastUsedAt",
                    "current", "bound",
                ])
            #expect(session["provider"] == "DEV")
            #expect(session["device"]?.string?.isEmpty == false)
            #expect(session["address"] == "127.0.0.1")
            #expect(session["lastDevice"] == session["device"] && session["lastAddress"] == session["address"])
            #expect(session["lastUsedAt"] == session["createdAt"])
        }
        #expect(listed.filter { $0["current"] == true }.count == 1)
    }

    @Test("The list has the device that logged in and the one that refreshed last", arguments: TestEnvironment.allCases)
    func devices(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("devices-\(environment)@example.com")
        var request = TestRequest.refresh(login.refreshToken)
        request.headers.append(("User-Agent", "Another/2.0"))
        let refreshed = try server.send(request)
        let session = try #require(try sessions(server, refreshed.accessToken).first)
        #expect(session["device"] != "Another/2.0")
        #expect(session["lastDevice"] == "Another/2.0")
        #expect(session["lastAddress"] == "127.0.0.1")
    }

    @Test("The most recently used session comes first")
    func order() throws {
        let server = try InProcessServer()
        let logins = try (0..<3).map { _ in
            server.advanceClock(by: .seconds(60))
            return try server.devLogin("order@example.com")
        }
        server.advanceClock(by: .seconds(60))
        #expect(try server.refresh(logins[0].refreshToken).status == 200)
        let listed = try sessions(server, logins[0].accessToken)
        #expect(listed.map { $0["current"] } == [true, false, false])
        let used = listed.compactMap { $0["lastUsedAt"]?.string }
        #expect(used == used.sorted().reversed())
        #expect(listed[0]["createdAt"] != listed[0]["lastUsedAt"])
    }

    @Test("Ended and expired sessions are left out")
    func activeSessions() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "10m" }
        _ = try server.devLogin("alive@example.com")
        server.advanceClock(by: .seconds(400))
        let second = try server.devLogin("alive@example.com")
        let third = try server.devLogin("alive@example.com")
        server.advanceClock(by: .seconds(300))
        #expect(server.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        #expect(try sessions(server, third.accessToken).map { $0["current"] } == [true])
    }

    @Test("Another session can be ended, at once and for good", arguments: TestEnvironment.allCases)
    func endsOther(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let here = try server.devLogin("ends-\(environment)@example.com")
        let there = try server.devLogin("ends-\(environment)@example.com")
        let id = try current(server, there)
        #expect(try end(server, id, here.accessToken).status == 204)
        #expect(try server.me(there.accessToken).code == "session_revoked")
        #expect(try server.refresh(there.refreshToken).code == "refresh_token_revoked")
        #expect(try server.me(here.accessToken).status == 200)
        #expect(try sessions(server, here.accessToken).count == 1)
        // The client repeats the request as if the response were lost.
        #expect(try end(server, id, here.accessToken).status == 204)
    }

    @Test(
        "The current session can be ended, and a repeated request gets the same answer",
        arguments: TestEnvironment.allCases)
    func endsOwn(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("own-\(environment)@example.com")
        let id = try current(server, login)
        for _ in 0..<2 { #expect(try end(server, id, login.accessToken).status == 204) }
        #expect(try server.me(login.accessToken).code == "session_revoked")
    }

    @Test("Sessions of other users cannot be ended", arguments: TestEnvironment.allCases)
    func otherUsers(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let mine = try server.devLogin("mine-list-\(environment)@example.com")
        let theirs = try server.devLogin("theirs-list-\(environment)@example.com")
        for id in [try current(server, theirs), "sess_none", "x", "%00", "%2e%2e"] {
            let response = try end(server, id, mine.accessToken)
            #expect(response.status == 404 || response.status == 400)
            #expect(response.header("content-type") == "application/problem+json")
        }
        #expect(try server.me(theirs.accessToken).status == 200)
        #expect(try end(server, try current(server, mine), nil).code == "invalid_access_token")
    }

    @Test("An ended session cannot end other sessions")
    func endedSession() throws {
        let server = try SharedServers.standard(.handler)
        let dead = try server.devLogin("dead-hand@example.com")
        let living = try server.devLogin("dead-hand@example.com")
        let id = try current(server, living)
        #expect(try server.send(.post("/api/auth/logout", bearer: dead.accessToken)).status == 204)
        #expect(try end(server, id, dead.accessToken).code == "session_revoked")
        #expect(try server.me(living.accessToken).status == 200)
    }
}
