import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The audit trail")
struct AuditTrailTests {
    /// Texts that must not appear in the audit trail or in the log.
    private final class Confidential {
        var words = [
            ServerProcess.devSecret, TestSettings.accessSecret, TestSettings.refreshSecret, "example.com",
        ]

        /// Adds the tokens, and their parts that are long enough to be unique.
        func add(_ tokens: String...) {
            words += tokens + tokens.flatMap { $0.split(separator: ".").map(String.init) }.filter { $0.count > 40 }
        }
    }

    private let server: ServerProcess
    private let confidential = Confidential()

    init() throws {
        server = try ServerProcess { $0["REFRESH_REUSE_GRACE"] = "0s" }
    }

    private func logIn(_ name: String) throws -> TestResponse {
        let login = try server.devLogin(name + "@example.com")
        confidential.add(login.accessToken, login.refreshToken)
        return login
    }

    private func delete(_ path: String, bearer: String) throws -> TestResponse {
        var request = TestRequest.get(path, bearer: bearer)
        request.method = "DELETE"
        return try server.send(request)
    }

    @Test("Events are listed in order with ids and contain no secret")
    func eventOrder() throws {
        let ada = try logIn("ada")
        _ = try server.send(.post("/api/auth/logout", bearer: ada.accessToken))
        let second = try logIn("ada")
        _ = try server.send(.post("/api/auth/logout-all", bearer: second.accessToken))
        try endOwnSession(try logIn("ada"))
        try refuseAppleLogin()
        try server.runCommand("users", "role", ada.userID, "admin")
        let stolen = try logIn("bob")
        try reuse(stolen)
        let bob = try logIn("bob")
        try server.runCommand("sessions", "revoke", "--user", bob.userID)
        for word in ["disable", "enable"] { try server.runCommand("users", word, bob.userID) }
        try server.runCommand("users", "delete", "--yes", bob.userID)
        #expect(try delete("/api/users/me", bearer: try logIn("carol").accessToken).status == 204)

        #expect(Eventually.holds { (try? server.auditTrail().count) == 17 })
        let trail = try server.auditTrail()
        let entries = trail.map { event in
            ["kind", "actor", "detail"].compactMap { event[$0]?.string }.joined(separator: " ")
        }
        #expect(
            entries == [
                "login user", "logout user", "login user", "logout_all user", "login user", "session_removed user",
                "login_refused user nonce", "role_changed operator ADMIN", "login user", "refresh_token_reused user",
                "login user", "sessions_revoked operator", "user_disabled operator", "user_enabled operator",
                "user_deleted operator", "login user", "user_deleted user",
            ])
        #expect(trail[1]["userId"]?.string == ada.userID)
        #expect(trail[1]["sessionId"] == trail[0]["sessionId"])
        #expect(trail[0]["address"] == "127.0.0.1" && trail[0]["device"] == "Tests")
        #expect(trail[6]["provider"] == "APPLE" && trail[6]["userId"] == .null)
        #expect(trail[8]["address"] == .null && trail[8]["device"] == .null, "removed with the user")
        // Operators see a theft at once.
        let warning = try #require(
            server.process.log.split(separator: "\n").first { $0.contains(#""event":"refresh_token_reused""#) })
        #expect(warning.contains(#""level":"warning""#) && warning.contains(stolen.userID))
        try expectNoSecrets()
    }

    @Test("Refused logins and refreshes of a disabled user are recorded with the user id")
    func disabled() throws {
        let ada = try logIn("ada")
        try server.runCommand("users", "disable", ada.userID)
        #expect(try server.devLogin("ada@example.com").code == "user_disabled")
        #expect(try server.refresh(ada.refreshToken).code == "user_disabled")
        #expect(Eventually.holds { (try? server.auditTrail().count) == 4 })
        let attempts = try server.auditTrail().suffix(2)
        #expect(attempts.map { $0["kind"]?.string } == ["login_refused", "refresh_refused"])
        #expect(attempts.allSatisfy { $0["userId"]?.string == ada.userID && $0["detail"] == "user_disabled" })
    }

    private func endOwnSession(_ login: TestResponse) throws {
        let sessions = try server.send(.get("/api/users/me/sessions", bearer: login.accessToken))["sessions"]?
            .array
        let id = try #require(sessions?.first?.object?["id"]?.string)
        #expect(try delete("/api/users/me/sessions/" + id, bearer: login.accessToken).status == 204)
    }

    private func refuseAppleLogin() throws {
        var body = server.apple.login("001.eve") { $0.nonce = "expected-nonce" }
        body["nonce"] = "another-nonce"
        confidential.add(body["identityToken"]?.string ?? "-", body["authorizationCode"]?.string ?? "-")
        confidential.add("expected-nonce", "another-nonce")
        #expect(try server.send(.post("/api/auth/apple", body))["reason"] == "nonce")
    }

    private func reuse(_ login: TestResponse) throws {
        let next = try server.refresh(login.refreshToken)
        let last = try server.refresh(next.refreshToken)
        confidential.add(next.accessToken, next.refreshToken, last.accessToken, last.refreshToken)
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
    }

    /// Checks the output of the command, the table and the log.
    private func expectNoSecrets() throws {
        let connection = try server.testDatabase.connection()
        let columns = [
            "moment", "kind", "actor", "user_id", "session_id", "provider", "address", "user_agent", "detail",
            "operator",
        ]
        let row = columns.map { "coalesce(CAST(\($0) AS TEXT), '')" }.joined(separator: " || ' ' || ")
        let table = try connection.all("SELECT \(row) FROM audit_events") { $0.text(0) }.joined(separator: "\n")
        #expect(table.contains(" user_deleted "))
        let texts = [
            table, try server.runCommand("audit"), try server.runCommand("audit", "--json"),
            server.process.log,
        ]
        for word in confidential.words {
            for text in texts { #expect(!text.contains(word), "\(word.prefix(12))…") }
        }
    }

    @Test("Equal refusals are counted in one event, refusals with different reasons in several")
    func refusals() throws {
        let apple = server.apple.login("001.mallory") { $0.audience = "com.example.other" }
        for _ in 0..<20 {
            #expect(try server.send(.post("/api/auth/apple", apple)).status == 401)
            #expect(try server.refresh("x.y.z").status == 401)
        }
        func count(_ detail: String) -> Int64 {
            let trail = (try? server.auditTrail()) ?? []
            return trail.filter { $0["detail"]?.string == detail }.reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
        }
        #expect(Eventually.holds { count("audience") == 20 && count("unknown_token") == 20 })
        #expect(try server.auditTrail().count < 40)
    }
}
