import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Immediate revocation")
struct ImmediateRevocationTests {
    @Test(
        "The next request is refused however the session ended, also after a kill of the server",
        arguments: TokenClient.Endpoint.allCases)
    func endsAtOnce(_ endpoint: TokenClient.Endpoint) throws {
        let client = try TokenClient(.nginx)
        var ended: [(action: RevocationAction, login: TestResponse)] = []
        for action in RevocationAction.all {
            let login = try client.logIn(action.name)
            #expect(try client.accepts(login.accessToken, at: endpoint), "\(action.name)")
            try action.perform(client, login)
            #expect(try client.refuses(login.accessToken, at: endpoint, with: action.refusal), "\(action.name)")
            ended.append((action, login))
        }
        try client.killAndRestart()
        for (action, login) in ended {
            for endpoint in TokenClient.Endpoint.allCases {
                #expect(try client.ask(endpoint, login.accessToken) == action.refusal, "\(action.name), after a kill")
            }
            let response = try client.refresh(login.refreshToken)
            #expect(
                response.status == 200 || "\(response.status) \(response.code ?? "")" == action.refresh,
                "\(action.name)")
            #expect((response.status == 200) == (action.refresh == nil), "\(action.name)")
        }
    }

    @Test("Sessions of a disabled user stay ended after the user is enabled, and a new login succeeds")
    func enabled() throws {
        let client = try TokenClient(.fastCGI)
        let old = try client.logIn("enabled")
        try client.server.runCommand("users", "disable", "enabled@example.com")
        #expect(try client.logIn("enabled").code == "user_disabled")
        try client.server.runCommand("users", "enable", "enabled@example.com")
        for endpoint in TokenClient.Endpoint.allCases {
            #expect(try client.refuses(old.accessToken, at: endpoint, with: "401 session_revoked"))
        }
        #expect(try client.refresh(old.refreshToken).code == "refresh_token_revoked")
        let new = try client.logIn("enabled")
        #expect(new["isNewUser"] == false)
        for endpoint in TokenClient.Endpoint.allCases { #expect(try client.accepts(new.accessToken, at: endpoint)) }
        #expect(try client.ask(.guarded, old.accessToken) == "401 session_revoked")
    }

    @Test(
        "A session that was ended in the database has ended, whatever the reason column says",
        arguments: ["NULL", "'mine'"])
    func endedInDatabase(_ reason: String) throws {
        let server = try ServerProcess()
        let login = try server.devLogin("by-hand@example.com")
        try server.change("UPDATE refresh_tokens SET revoked_at = 1700000000000, revoke_reason = \(reason)")
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
        #expect(try server.me(login.accessToken).code == "session_revoked")
    }

    @Test("After a role change, the next refresh has the new role")
    func roles() throws {
        let client = try TokenClient(.fastCGI)
        var pair = try client.logIn("roles")
        let user = pair.userID
        for role in ["ADMIN", "USER", "SUPER_ADMIN", "ADMIN"] {
            let before = pair.accessToken
            try client.server.runCommand("users", "role", user, role)
            pair = try client.refresh(pair.refreshToken)
            #expect(pair.status == 200)
            let admitted = try client.send(.get("/api/auth/verify", bearer: pair.accessToken))
            #expect(admitted.status == 204)
            #expect(admitted.header("x-user-role") == role)
            #expect(try client.refuses(before, at: .guarded, with: "401 session_revoked"))
        }
        try client.server.runCommand("users", "role", user, "USER")
        let login = try client.logIn("roles")
        let admitted = try client.send(.get("/api/auth/verify", bearer: login.accessToken))
        #expect(admitted.header("x-user-role") == "USER")
    }

    @Test(
        "Changes made directly in the database take effect soon",
        arguments: [
            ("UPDATE users SET status = 'DISABLED'", "403 user_disabled"),
            ("UPDATE users SET role = 'SUPER_ADMIN'", "401 session_revoked"),
            ("UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked'", "401 session_revoked"),
            ("DELETE FROM refresh_tokens", "401 session_revoked"),
        ])
    func changedInDatabase(sql: String, refusal: String) throws {
        let client = try TokenClient(.fastCGI)
        let login = try client.logIn("hand")
        #expect(try client.accepts(login.accessToken, at: .guarded))
        try client.server.change(sql)
        #expect(Eventually.holds { (try? client.ask(.guarded, login.accessToken)) == refusal })
    }
}

extension TokenClient {
    /// Whether a token is refused: by the next request, or soon where another process has ended the session in a database
    /// that several machines share.
    fileprivate func refuses(_ token: String, at endpoint: Endpoint, with refusal: String) throws -> Bool {
        guard TestDatabase.isOnServer else { return try ask(endpoint, token) == refusal }
        return Eventually.holds { (try? ask(endpoint, token)) == refusal }
    }
}
