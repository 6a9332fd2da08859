import Foundation
import JSON
import StandIn
import Testing

@testable import ServerSupport

@Suite("Identity tokens of sessions that the user or an operator ended")
struct ReplayAfterLogoutTests {
    private let server: ServerProcess

    init() throws {
        server = try ServerProcess()
    }

    private func logIn(_ body: JSONObject) throws -> TestResponse {
        try server.send(.post("/api/auth/apple", body))
    }

    private func expectReplayed(_ body: JSONObject, _ comment: Comment? = nil) throws {
        let response = try logIn(body)
        #expect(response.code == "invalid_apple_token" && response["reason"] == "replayed", comment)
    }

    @Test("The token opens no session within its replay grace, however its session has ended")
    func ended() throws {
        let client = try TokenClient(server)
        var used: [(name: String, body: JSONObject)] = []
        for action in RevocationAction.all where action.refresh != nil {
            let body = server.apple.login(action.name) { $0.email = action.name + "@example.com" }
            let login = try logIn(body)
            #expect(try logIn(body).status == 200, "a lost response")
            try action.perform(client, login)
            if action.name == "disable" { try server.runCommand("users", "enable", login.userID) }
            try expectReplayed(body, "\(action.name)")
            used.append((action.name, body))
        }
        try server.killAndRestart()
        for (name, body) in used {
            try expectReplayed(body, "\(name), after a kill")
            #expect(try logIn(server.apple.login(name)).status == 200, "another identity token of the same user")
        }
    }

    @Test("The token opens no session after a repeated login was ended")
    func repeated() throws {
        let body = server.apple.login("001.twice")
        _ = try logIn(body)
        let second = try logIn(body)
        #expect(try server.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that linked an account opens no session after unlinking, a deletion or a logout")
    func linked() throws {
        let path = "/api/users/me/accounts/apple"
        let ends: [(name: String, perform: (TestResponse) throws -> TestResponse)] = [
            ("unlinked", { try server.delete(path, $0) }), ("deleted", { try server.deleteAccount($0) }),
            ("out", { try server.send(.post("/api/auth/logout-all", bearer: $0.accessToken)) }),
        ]
        for end in ends {
            let login = try server.devLogin(end.name + "@example.com")
            let body = server.apple.login(end.name)
            #expect(try server.send(.post(path, body, bearer: login.accessToken)).status == 200)
            #expect(try end.perform(login).status == 204)
            try expectReplayed(body, "\(end.name)")
        }
    }

    @Test("A token that opened a session creates no user after the account is unlinked")
    func unlinked() throws {
        let dev = try server.devLogin("unlinked@example.com")
        let path = "/api/users/me/accounts/apple"
        #expect(
            try server.send(.post(path, server.apple.login("001.un"), bearer: dev.accessToken)).status
                == 200)
        let body = server.apple.login("001.un")
        #expect(try logIn(body).userID == dev.userID)
        #expect(try server.delete(path, dev).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that confirmed a recent login opens no session after a logout")
    func proof() throws {
        let server = try InProcessServer { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = server.send(.post("/api/auth/apple", server.apple.login("001.proof")))
        server.advanceClock(by: .seconds(650))
        let now = Int64(Date().timeIntervalSince1970) + 650
        let proof = server.apple.login("001.proof") { $0.claims = ["iat": .integer(now)] }
        #expect(try server.delete("/api/users/me/accounts/apple", login, proof).code == "last_account")
        #expect(server.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(server.send(.post("/api/auth/apple", proof))["reason"] == "replayed")
    }

    @Test("The grace is kept where the session limit ended the session")
    func limit() throws {
        let server = try InProcessServer { $0["SESSIONS_PER_USER"] = "1" }
        let body = server.apple.login("001.limit")
        for _ in 0..<4 { #expect(server.send(.post("/api/auth/apple", body)).status == 200) }
    }

    @Test("The grace of another user's token is kept")
    func others() throws {
        let (mine, theirs) = (server.apple.login("001.mine"), server.apple.login("001.theirs"))
        let login = try logIn(mine)
        _ = try logIn(theirs)
        #expect(try server.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(try logIn(theirs).status == 200)
        try expectReplayed(mine)
    }
}
