import FakeApple
import Foundation
import JSON
import Testing

/// A way in which the user or an operator ends a session.
struct SessionEndAction: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let perform: @Sendable (FastCGIInstallation, TestResponse) throws -> Void

    static let all = [
        SessionEndAction(testDescription: "logout") { installation, login in
            try expectNoContent(installation.send(.post("/api/auth/logout", bearer: login.accessToken)))
        },
        SessionEndAction(testDescription: "logout-all") { installation, login in
            try expectNoContent(installation.send(.post("/api/auth/logout-all", bearer: login.accessToken)))
        },
        SessionEndAction(testDescription: "delete") { installation, login in
            try expectNoContent(installation.deleteAccount(login))
        },
        SessionEndAction(testDescription: "end of the session in the list") { installation, login in
            let list = try installation.send(.get("/api/users/me/sessions", bearer: login.accessToken))
            let own = list["sessions"]?.array?.compactMap(\.object).first { $0["current"] == true }
            let id = own?["id"]?.string ?? "none"
            try expectNoContent(installation.delete("/api/users/me/sessions/" + id, login))
        },
        SessionEndAction(testDescription: "disable and enable") { installation, login in
            try installation.runCommand("users", "disable", login.userID)
            try installation.runCommand("users", "enable", login.userID)
        },
        SessionEndAction(testDescription: "delete by an operator") { installation, login in
            try installation.runCommand("users", "delete", login.userID, "--yes")
        },
        SessionEndAction(testDescription: "revocation by an operator") { installation, login in
            try installation.runCommand("sessions", "revoke", "--user", login.userID)
        },
    ]

    private static func expectNoContent(_ response: TestResponse) throws {
        #expect(response.status == 204)
    }
}

@Suite("Identity tokens of sessions that the user or an operator ended")
struct ReplayAfterLogoutTests {
    private let installation: FastCGIInstallation

    init() throws {
        installation = try FastCGIInstallation()
    }

    private func logIn(_ body: JSONObject) throws -> TestResponse {
        try installation.send(.post("/api/auth/apple", body))
    }

    private func expectReplayed(_ body: JSONObject, _ comment: Comment? = nil) throws {
        let response = try logIn(body)
        #expect(response.code == "invalid_apple_token" && response["reason"] == "replayed", comment)
    }

    @Test("The token opens no session within its replay grace", arguments: SessionEndAction.all)
    func ended(_ end: SessionEndAction) throws {
        let body = installation.apple.login("001.ended")
        let login = try logIn(body)
        #expect(try logIn(body).status == 200, "a lost response")
        try end.perform(installation, login)
        try expectReplayed(body)
        try installation.killAndRestart()
        try expectReplayed(body, "after a kill")
        let fresh = try logIn(installation.apple.login("001.ended"))
        #expect(fresh.status == 200, "another identity token of the same user")
    }

    @Test("The token opens no session after a repeated login was ended")
    func repeated() throws {
        let body = installation.apple.login("001.twice")
        _ = try logIn(body)
        let second = try logIn(body)
        #expect(try installation.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that linked an account opens no session after unlinking or deletion", arguments: [true, false])
    func linked(isUnlinked: Bool) throws {
        let login = try installation.devLogin("linked@example.com")
        let body = installation.apple.login("001.linked")
        let path = "/api/users/me/accounts/apple"
        #expect(try installation.send(.post(path, body, bearer: login.accessToken)).status == 200)
        if isUnlinked {
            #expect(try installation.delete(path, login).status == 204)
        } else {
            #expect(try installation.deleteAccount(login).status == 204)
        }
        try expectReplayed(body)
    }

    @Test("A token that linked an account opens no session after a logout")
    func linkedAndLoggedOut() throws {
        let login = try installation.devLogin("out@example.com")
        let body = installation.apple.login("001.out")
        #expect(
            try installation.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken)).status == 200)
        #expect(try installation.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that opened a session creates no user after the account is unlinked")
    func unlinked() throws {
        let dev = try installation.devLogin("unlinked@example.com")
        let path = "/api/users/me/accounts/apple"
        #expect(
            try installation.send(.post(path, installation.apple.login("001.un"), bearer: dev.accessToken)).status
                == 200)
        let body = installation.apple.login("001.un")
        #expect(try logIn(body).userID == dev.userID)
        #expect(try installation.delete(path, dev).status == 204)
        try expectReplayed(body)
    }

    @Test("A token that confirmed a recent login opens no session after a logout")
    func proof() throws {
        let installation = try InProcessInstallation { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = installation.send(.post("/api/auth/apple", installation.apple.login("001.proof")))
        installation.advanceClock(by: .seconds(650))
        let now = Int64(Date().timeIntervalSince1970) + 650
        let proof = installation.apple.login("001.proof") { $0.claims = ["iat": .integer(now)] }
        #expect(try installation.delete("/api/users/me/accounts/apple", login, proof).code == "last_account")
        #expect(installation.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(installation.send(.post("/api/auth/apple", proof))["reason"] == "replayed")
    }

    @Test("The grace is kept where the session limit ended the session")
    func limit() throws {
        let installation = try InProcessInstallation { $0["SESSIONS_PER_USER"] = "1" }
        let body = installation.apple.login("001.limit")
        for _ in 0..<4 { #expect(installation.send(.post("/api/auth/apple", body)).status == 200) }
    }

    @Test("The grace of another user's token is kept")
    func others() throws {
        let (mine, theirs) = (installation.apple.login("001.mine"), installation.apple.login("001.theirs"))
        let login = try logIn(mine)
        _ = try logIn(theirs)
        #expect(try installation.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(try logIn(theirs).status == 200)
        try expectReplayed(mine)
    }
}
