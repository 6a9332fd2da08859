import FakeApple
import JSON
import SQLite
import TestSupport
import Testing

@Suite("The audit trail")
struct AuditTrailTests {
    /// Everything that was shown to the house or came out of it, and that nobody else may read anywhere.
    private final class Confidential {
        var words = [ServedHouse.devSecret, Settings.accessSecret, Settings.refreshSecret, "example.com"]

        /// Also the parts of a token that are long enough to be known again.
        func add(_ tokens: String...) {
            words += tokens + tokens.flatMap { $0.split(separator: ".").map(String.init) }.filter { $0.count > 40 }
        }
    }

    private let house: ServedHouse
    private let confidential = Confidential()

    init() throws {
        house = try ServedHouse()
    }

    private func logIn(_ name: String) throws -> Answer {
        let login = try house.devLogin(name + "@example.com")
        confidential.add(login.accessToken, login.refreshToken)
        return login
    }

    private func delete(_ path: String, bearer: String) throws -> Answer {
        var call = Call.get(path, bearer: bearer)
        call.method = "DELETE"
        return try house.send(call)
    }

    @Test("tells in order what has happened, by ids, and holds nothing that opens a door")
    func order() throws {
        let ada = try logIn("ada")
        _ = try house.send(.post("/api/auth/logout", bearer: ada.accessToken))
        let second = try logIn("ada")
        _ = try house.send(.post("/api/auth/logout-all", bearer: second.accessToken))
        try endOwnSession(try logIn("ada"))
        try refuseApple()
        try house.operate("users", "role", ada.userID, "admin")
        try reuse(try logIn("bob"))
        let bob = try logIn("bob")
        try house.operate("sessions", "revoke", "--user", bob.userID)
        for word in ["disable", "enable"] { try house.operate("users", word, bob.userID) }
        try house.operate("users", "delete", "--yes", bob.userID)
        #expect(try delete("/api/users/me", bearer: try logIn("carol").accessToken).status == 204)

        #expect(Eventually.holds { (try? house.auditTrail().count) == 17 })
        let trail = try house.auditTrail()
        let told = trail.map { event in
            ["kind", "actor", "detail"].compactMap { event[$0]?.string }.joined(separator: " ")
        }
        #expect(
            told == [
                "login user", "logout user", "login user", "logout_all user", "login user", "session_removed user",
                "login_refused user nonce", "role_changed operator ADMIN", "login user", "refresh_token_reused user",
                "login user", "sessions_revoked operator", "user_disabled operator", "user_enabled operator",
                "user_deleted operator", "login user", "user_deleted user",
            ])
        #expect(trail[1]["userId"]?.string == ada.userID)
        #expect(trail[1]["sessionId"] == trail[0]["sessionId"])
        #expect(trail[0]["address"] == "127.0.0.1" && trail[0]["device"] == "Tests")
        #expect(trail[6]["provider"] == "APPLE" && trail[6]["userId"] == .null)
        #expect(trail[8]["address"] == .null && trail[8]["device"] == .null, "gone with its user")
        try expectSilence()
    }

    @Test("tells of a disabled user who tries to come in, and which one it is")
    func disabled() throws {
        let ada = try logIn("ada")
        try house.operate("users", "disable", ada.userID)
        #expect(try house.devLogin("ada@example.com").code == "user_disabled")
        #expect(try house.refresh(ada.refreshToken).code == "user_disabled")
        #expect(Eventually.holds { (try? house.auditTrail().count) == 4 })
        let attempts = try house.auditTrail().suffix(2)
        #expect(attempts.map { $0["kind"]?.string } == ["login_refused", "refresh_refused"])
        #expect(attempts.allSatisfy { $0["userId"]?.string == ada.userID && $0["detail"] == "user_disabled" })
    }

    private func endOwnSession(_ login: Answer) throws {
        let sessions = try house.send(.get("/api/users/me/sessions", bearer: login.accessToken))["sessions"]?.array
        let id = try #require(sessions?.first?.object?["id"]?.string)
        #expect(try delete("/api/users/me/sessions/" + id, bearer: login.accessToken).status == 204)
    }

    private func refuseApple() throws {
        var body = house.apple.login("001.eve") { $0.nonce = "expected-nonce" }
        body["nonce"] = "another-nonce"
        confidential.add(body["identityToken"]?.string ?? "-", body["authorizationCode"]?.string ?? "-")
        confidential.add("expected-nonce", "another-nonce")
        #expect(try house.send(.post("/api/auth/apple", body))["reason"] == "nonce")
    }

    private func reuse(_ login: Answer) throws {
        let next = try house.refresh(login.refreshToken)
        let last = try house.refresh(next.refreshToken)
        confidential.add(next.accessToken, next.refreshToken, last.accessToken, last.refreshToken)
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_reused")
    }

    /// Nothing confidential stands in what operators are shown, in the table itself, or in the log.
    private func expectSilence() throws {
        let connection = try Connection(path: house.database, access: .readOnly)
        let columns = try connection.all("SELECT name FROM pragma_table_info('audit_events')") { $0.text(0) }
        let row = columns.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
        let table = try connection.all("SELECT \(row) FROM audit_events") { $0.text(0) }.joined(separator: "\n")
        #expect(table.contains("'user_deleted'"))
        let texts = [
            table, try house.operate("audit"), try house.operate("audit", "--json"), house.process.log,
        ]
        for word in confidential.words {
            for text in texts { #expect(!text.contains(word), "\(word.prefix(12))…") }
        }
    }

    @Test("counts refusals alike as one, and tells them apart by their reason")
    func refusals() throws {
        let apple = house.apple.login("001.mallory") { $0.audience = "com.example.other" }
        for _ in 0..<20 {
            #expect(try house.send(.post("/api/auth/apple", apple)).status == 401)
            #expect(try house.refresh("x.y.z").status == 401)
        }
        func count(_ detail: String) -> Int64 {
            let trail = (try? house.auditTrail()) ?? []
            return trail.filter { $0["detail"]?.string == detail }.reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
        }
        #expect(Eventually.holds { count("audience") == 20 && count("unknown_token") == 20 })
        #expect(try house.auditTrail().count < 40)
    }
}
