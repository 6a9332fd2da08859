import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Acts of administrators")
struct SupportActTests {
    private let support: SupportServer
    private let boss: String

    init() throws {
        support = try SupportServer()
        boss = try support.administrator("boss").accessToken
    }

    private func act(
        _ path: String, _ body: JSONObject = ["reason": "ticket 12"], by token: String? = nil
    ) -> TestResponse {
        support.send("POST", "users/" + path, body, by: token ?? boss)
    }

    @Test("Disabling ends the sessions at once, enabling lets the user in again, and both are recorded with the reason")
    func disable() throws {
        let user = try support.server.devLogin("user@example.com")
        let disabled = act("\(user.userID)/disable")
        #expect(disabled["changed"] == true && disabled["sessionsEnded"] == 1)
        #expect(disabled["user"]?.object?["status"] == "DISABLED")
        #expect(try support.server.me(user.accessToken).code == "user_disabled")
        #expect(act("\(user.userID)/disable")["changed"] == false)
        #expect(act("\(user.userID)/enable")["changed"] == true)
        #expect(try support.server.devLogin("user@example.com").status == 200)
        let entries = support.entries("user=\(user.userID)", by: boss)
        #expect(entries.filter { $0["reason"] == "ticket 12" }.map { $0["type"] } == ["user_enabled", "user_disabled"])
        let acts = entries.filter { $0["reason"] != .null }
        #expect(acts.allSatisfy { $0["actor"] == "administrator" && $0["requestId"] != .null })
    }

    @Test("One session ends, or all, and none of another user")
    func signOut() throws {
        let user = try support.server.devLogin("user@example.com")
        let (other, stranger) = (
            try support.server.devLogin("user@example.com"), try support.server.devLogin("stranger@example.com")
        )
        func session(_ login: TestResponse) -> JSONValue { login.refreshClaims["sid"] ?? .null }
        let path = "\(user.userID)/sign-out"
        #expect(act(path, ["reason": "lost", "session": session(stranger)])["changed"] == false)
        #expect(try support.server.me(stranger.accessToken).status == 200)
        #expect(act(path, ["reason": "lost", "session": session(user)])["sessionsEnded"] == 1)
        #expect(try support.server.me(user.accessToken).code == "session_revoked")
        #expect(try support.server.me(other.accessToken).status == 200)
        #expect(act(path)["sessionsEnded"] == 1)
        #expect(try support.server.me(other.accessToken).code == "session_revoked")
    }

    @Test("An act without a reason is refused, and changes nothing", arguments: ["", " \n ", "ab", "\u{7}abc"])
    func reason(_ reason: String) throws {
        let user = try support.server.devLogin("reason@example.com")
        let bodies: [JSONObject?] = [nil, [:], ["reason": nil], ["reason": .string(reason)]]
        for body in bodies {
            let answer = support.send("POST", "users/\(user.userID)/disable", body, by: boss)
            #expect(answer.status == (body?["reason"] == "\u{7}abc" ? 400 : 422))
        }
        #expect(try support.server.me(user.accessToken).status == 200)
        #expect(support.send("DELETE", "users/\(user.userID)", by: boss).code == "reason_required")
        #expect(act("\(user.userID)/disable", ["reason": .string(String(repeating: "x", count: 501))]).status == 400)
    }

    @Test("An ADMIN acts on users, and neither on administrators nor on roles; nobody on themself")
    func ranks() throws {
        let admin = try support.administrator("admin", "ADMIN")
        let (peer, user) = (try support.administrator("peer", "ADMIN"), try support.server.devLogin("u@example.com"))
        let reason: JSONObject = ["reason": "ticket", "role": "SUPER_ADMIN"]
        for target in [peer.userID, try support.administrator("boss").userID] {
            for path in ["disable", "enable", "sign-out"] {
                #expect(act("\(target)/\(path)", by: admin.accessToken).code == "insufficient_role", "\(path)")
            }
            let deleted = support.send("DELETE", "users/\(target)", reason, by: admin.accessToken)
            #expect(deleted.code == "insufficient_role")
        }
        for target in [user.userID, peer.userID] {
            let answer = support.send("PUT", "users/\(target)/role", reason, by: admin.accessToken)
            #expect(answer.code == "insufficient_role")
        }
        #expect(act("\(user.userID)/disable", by: admin.accessToken).status == 200)
        for path in ["disable", "enable"] {
            #expect(act("\(admin.userID)/\(path)", by: admin.accessToken).code == "own_account")
        }
        #expect(support.send("PUT", "users/\(admin.userID)/role", reason, by: admin.accessToken).code == "own_account")
        #expect(support.send("DELETE", "users/\(admin.userID)", reason, by: admin.accessToken).code == "own_account")
        #expect(act("\(admin.userID)/sign-out", by: admin.accessToken).status == 200, "one's own sessions")
    }

    @Test("A look is recorded before it is answered, with its reason, and shows no secret")
    func look() throws {
        let user = try support.server.devLogin("looked@example.com", nickname: "<script>alert(1)</script>")
        let answer = support.send("GET", "users/\(user.userID)?reason=ticket%207", by: boss)
        #expect(answer.status == 200)
        #expect(answer["events"]?.array?.first?.object?["type"] == "user_viewed")
        #expect(answer["events"]?.array?.first?.object?["reason"] == "ticket 7")
        let text = String(decoding: answer.body, as: UTF8.self)
        for secret in ["hash", "seed", "random", "refreshToken", "accessToken"] {
            #expect(!text.lowercased().contains("\"\(secret.lowercased())"), "\(secret)")
        }
        #expect(answer["user"]?.object?["nickname"] == "<script>alert(1)</script>")
        #expect(answer["acts"] == ["disable", "sign-out", "role", "delete", "merge"])
        _ = support.send("GET", "users?query=looked", by: boss)
        let search = support.entries("type=users_searched", by: boss).first
        #expect(search?["detail"] == "nothing" || search?["count"] == 1)
        #expect(!"\(String(describing: search))".contains("looked"), "the text of a search is personal data")
    }

    @Test("A deleted user is gone, and the entry of the act stays without a device")
    func delete() throws {
        let user = try support.server.devLogin("gone@example.com")
        let answer = support.send("DELETE", "users/\(user.userID)", ["reason": "asked for it"], by: boss)
        #expect(answer["user"]?.object?["status"] == "DELETED" && answer["changed"] == true)
        let again = support.send("DELETE", "users/\(user.userID)", ["reason": "asked for it"], by: boss)
        #expect(again.status == 200 && again["changed"] == false)
        let entries = support.entries("user=\(user.userID)", by: boss)
        #expect(entries.allSatisfy { $0["device"] == .null && $0["address"] == .null })
        #expect(try support.server.devLogin("gone@example.com").userID != user.userID)
    }

    @Test("Statistics have what has just happened, and a range that is too long is refused")
    func statistics() throws {
        _ = try support.server.devLogin("counted@example.com")
        let answer = support.send("GET", "statistics", by: boss)
        let series = answer["series"]?.array?.compactMap(\.object) ?? []
        let logins = series.first { $0["name"] == "logins" && $0["key"] == "DEV" }
        #expect(logins?["counts"]?.array?.count == 24 && (logins?["counts"]?.array?.last?.integer ?? 0) >= 2)
        #expect(answer["users"]?.object?["superAdmins"] == 1)
        for query in ["from=x", "step=minute", "from=2026-01-01&to=2026-01-09", "from=2026-01-02&to=2026-01-01"] {
            #expect(support.send("GET", "statistics?" + query, by: boss).code == "invalid_request", "\(query)")
        }
        let days = support.send("GET", "statistics?step=day&from=2026-01-01&to=2026-01-31", by: boss)
        #expect(days["buckets"] == 30 && days["series"] == [])
    }
}
