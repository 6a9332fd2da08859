import FakeApple
import Foundation
import JSON
import Testing

@testable import ServerSupport

/// A way in which the user or an operator ends a session.
struct SessionEndAction: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let perform: @Sendable (ServerProcess, TestResponse) throws -> Void

    static let all = [
        SessionEndAction(testDescription: "logout") { server, login in
            try expectNoContent(server.send(.post("/api/auth/logout", bearer: login.accessToken)))
        },
        SessionEndAction(testDescription: "logout-all") { server, login in
            try expectNoContent(server.send(.post("/api/auth/logout-all", bearer: login.accessToken)))
        },
        SessionEndAction(testDescription: "delete") { server, login in
            try expectNoContent(server.deleteAccount(login))
        },
        SessionEndAction(testDescription: "end of the session in the list") { server, login in
            let list = try server.send(.get("/api/users/me/sessions", bearer: login.accessToken))
            let own = list["sessions"]?.array?.compactMap(\.object).first { $0["current"] == true }
            let id = own?["id"]?.string ?? "none"
            try expectNoContent(server.delete("/api/users/me/sessions/" + id, login))
        },
        SessionEndAction(testDescription: "disable and enable") { server, login in
            try server.runCommand("users", "disable", login.userID)
            try server.runCommand("users", "enable", login.userID)
        },
        SessionEndAction(testDescription: "delete by an operator") { server, login in
            try server.runCommand("users", "delete", login.userID, "--yes")
        },
        SessionEndAction(testDescription: "revocation by an operator") { server, login in
            try server.runCommand("sessions", "revoke", "--user", login.userID)
        },
    ]

    private static func expectNoContent(_ response: TestResponse) throws {
        #expect(response.status == 204)
    }
}

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

    @Test("The token opens no session within its replay grace", arguments: SessionEndAction.all)
    func ended(_ end: SessionEndAction) throws {
        let body = server.apple.login("001.ended")
        let login = try logIn(body)
        #expect(try logIn(body).status == 200, "a lost response")
        try end.perform(server, login)
        try expectReplayed(body)
        try server.killAndRestart()
        try expectReplayed(body, "after a kill")
        let fresh = try logIn(server.apple.login("001.ended"))
        #expect(fresh.status == 200, "another identity token of the same user")
    }

    @Test("The token opens no session after a repeated login was ended")
    func repeated() throws {
        let body = server.apple.login("001.twice")
        _ = try logIn(body)
        let second = try logIn(body)
        #expect(try server.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that linked an account opens no session after unlinking or deletion", arguments: [true, false])
    func linked(isUnlinked: Bool) throws {
        let login = try server.devLogin("linked@example.com")
        let body = server.apple.login("001.linked")
        let path = "/api/users/me/accounts/apple"
        #expect(try server.send(.post(path, body, bearer: login.accessToken)).status == 200)
        if isUnlinked {
            #expect(try server.delete(path, login).status == 204)
        } else {
            #expect(try server.deleteAccount(login).status == 204)
        }
        try expectReplayed(body)
    }

    @Test("A token that linked an account opens no session after a logout")
    func linkedAndLoggedOut() throws {
        let login = try server.devLogin("out@example.com")
        let body = server.apple.login("001.out")
        #expect(
            try server.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken)).status == 200)
        #expect(try server.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        try expectReplayed(body)
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
