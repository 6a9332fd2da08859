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

    @Test("Each session is listed with device, address and times")
    func list() throws {
        let server = try SharedServers.standard(.nginx)
        let logins = try (0..<3).map { _ in try server.devLogin("list@example.com") }
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

    @Test("The list has the device that logged in and the one that refreshed last")
    func devices() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("devices@example.com")
        var request = TestRequest.refresh(login.refreshToken)
        request.headers.append(("User-Agent", "Another/2.0"))
        let refreshed = try server.send(request)
        let session = try #require(try sessions(server, refreshed.accessToken).first)
        #expect(session["device"] != "Another/2.0")
        #expect(session["lastDevice"] == "Another/2.0")
        #expect(session["lastAddress"] == "127.0.0.1")
    }

    @Test("The most recently used session comes first; ended and expired ones are left out")
    func order() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "10m" }
        _ = try server.devLogin("order@example.com")
        server.advanceClock(by: .seconds(400))
        let logins = try (0..<4).map { _ in
            server.advanceClock(by: .seconds(60))
            return try server.devLogin("order@example.com")
        }
        #expect(server.send(.post("/api/auth/logout", bearer: logins[3].accessToken)).status == 204)
        server.advanceClock(by: .seconds(60))
        #expect(try server.refresh(logins[0].refreshToken).status == 200)
        let listed = try sessions(server, logins[0].accessToken)
        #expect(listed.map { $0["current"] } == [true, false, false])
        let used = listed.compactMap { $0["lastUsedAt"]?.string }
        #expect(used == used.sorted().reversed())
        #expect(listed[0]["createdAt"] != listed[0]["lastUsedAt"])
    }

    @Test("Another session and the current one can be ended, at once and for good, also by a repeated request")
    func ends() throws {
        let server = try SharedServers.standard(.nginx)
        let here = try server.devLogin("ends@example.com")
        let there = try server.devLogin("ends@example.com")
        for login in [there, here] {
            let id = try current(server, login)
            // The client repeats the request as if the response were lost.
            for _ in 0..<2 { #expect(try end(server, id, here.accessToken).status == 204) }
            #expect(try server.me(login.accessToken).code == "session_revoked")
            #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
            guard login.accessToken == there.accessToken else { continue }
            #expect(try server.me(here.accessToken).status == 200)
            #expect(try sessions(server, here.accessToken).count == 1)
        }
    }

    @Test("Sessions of other users cannot be ended")
    func otherUsers() throws {
        let server = try SharedServers.standard(.nginx)
        let mine = try server.devLogin("mine-list@example.com")
        let theirs = try server.devLogin("theirs-list@example.com")
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
