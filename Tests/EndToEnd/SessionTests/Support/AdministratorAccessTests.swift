import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Who may use the API for support")
struct AdministratorAccessTests {
    private static let paths = [
        "GET self", "GET users", "GET users/user_x", "GET users?query=a", "DELETE users/user_x",
        "POST users/user_x/disable", "POST users/user_x/enable", "POST users/user_x/sign-out", "PUT users/user_x/role",
        "POST users/user_x/merge",
        "POST users/user_x/unmerge", "GET audit", "GET statistics", "GET deliveries", "POST deliveries/evt_x/retry",
    ]

    /// All that a client sees of an answer, without what differs in each.
    private func facts(_ response: TestResponse) -> String {
        let id = response["requestId"]?.string ?? "none"
        let headers = response.headers.filter { $0.name != "x-request-id" && $0.name != "date" }
        return "\(response.status) \(headers) " + String(decoding: response.body, as: UTF8.self).replacing(id, with: "")
    }

    private func answers(_ support: SupportServer, _ token: String?, _ change: (inout TestRequest) -> Void = { _ in })
        -> Set<String>
    {
        Set(
            Self.paths.map { line in
                let words = line.split(separator: " ").map(String.init)
                var request = TestRequest(method: words[0], path: "/api/admin/" + words[1])
                if let token { request.headers.append(("Authorization", "Bearer " + token)) }
                request.headers.append(("Content-Type", "application/json"))
                request.body = words[0] == "GET" ? [] : Array("{\"reason\": \"a reason\", \"role\": \"ADMIN\"}".utf8)
                change(&request)
                return facts(support.server.send(request))
            })
    }

    @Test("To everybody but administrators, each path and method has the answer of an unknown path")
    func hidden() throws {
        let support = try SupportServer()
        let server = support.server
        let unknown = facts(server.send(.get("/api/unknown")))
        let user = try server.devLogin("user@example.com")
        let disabled = try support.administrator("demoted", "ADMIN")
        try support.give("USER", to: disabled.userID)
        let now = try server.refresh(disabled.refreshToken)
        let tokens: [String?] = [
            nil, "x", "x.y.z", user.accessToken, user.refreshToken, try ForgedToken.withRoleRaised(user.accessToken),
            now.accessToken,
            // With the operator's secret: the role is the database's.
            try ForgedToken.accessToken(like: user.accessToken, role: "ADMIN"),
            try ForgedToken.accessToken(like: user.accessToken, role: "SUPER_ADMIN"),
            try ForgedToken.accessToken(like: user.accessToken, role: "ROOT"),
        ]
        for token in tokens { #expect(answers(support, token) == [unknown], "\(token ?? "no token")") }
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let answer = support.send(method, "self", [:], by: user.accessToken)
            #expect(facts(answer) == facts(server.send(TestRequest(method: method, path: "/api/unknown"))), "\(method)")
        }
        #expect(answers(support, user.accessToken) { $0.body = Array("{".utf8) } == [unknown])
        #expect(answers(support, user.accessToken) { $0.headers.append(("Content-Type", "text/x")) } == [unknown])
        #expect(answers(support, user.accessToken) { $0.body = [UInt8](repeating: 120, count: 65_537) } == [unknown])
        let cookie = (name: "Cookie", value: "__Host-gatehouse=\(now.refreshToken)")
        #expect(answers(support, nil) { $0.headers.append(cookie) } == [unknown])
        server.advanceClock(by: .seconds(13 * 3600))
        #expect(answers(support, user.accessToken) == [unknown], "expired")
    }

    @Test("Without ADMIN_API, no path exists for administrators either")
    func off() throws {
        let support = try SupportServer { $0["ADMIN_API"] = nil }
        let token = try support.administrator("off").accessToken
        #expect(answers(support, token) == [facts(support.server.send(.get("/api/unknown")))])
    }

    @Test("A token of an administrator's session in which another user or session is named gives nothing")
    func otherClaims() throws {
        let support = try SupportServer()
        let (boss, user) = (try support.administrator("boss"), try support.server.devLogin("other@example.com"))
        #expect(support.send("GET", "self", by: boss.accessToken).status == 200)
        let asUser = try ForgedToken.accessToken(like: boss.accessToken, claim: "sub", user.userID)
        #expect(support.send("GET", "self", by: asUser).code == "session_revoked")
        let session = user.refreshClaims["sid"]?.string ?? ""
        let inSession = try ForgedToken.accessToken(like: boss.accessToken, claim: "sid", session)
        #expect(support.send("GET", "self", by: inSession).code == "session_revoked")
    }

    @Test("A role that was taken away counts at the next request, although the token still has it")
    func demoted() throws {
        let support = try SupportServer()
        let boss = try support.administrator("boss")
        let other = try support.administrator("other")
        let demoted = support.send(
            "PUT", "users/\(other.userID)/role", ["reason": "has left", "role": "USER"], by: boss.accessToken)
        #expect(demoted.status == 200 && demoted["changed"] == true)
        #expect(support.send("GET", "self", by: other.accessToken).code == "session_revoked")
        let token = try support.server.refresh(other.refreshToken).accessToken
        #expect(support.send("GET", "self", by: token).code == "not_found")
        // Without a word to this process, as after a change on another node.
        try support.server.testDatabase.execute("UPDATE users SET role = 'USER' WHERE id = '\(boss.userID)'")
        #expect(support.send("GET", "users", by: boss.accessToken).status != 200)
    }

    @Test("A login is good for an hour, whatever its token says and however often it is refreshed")
    func age() throws {
        let support = try SupportServer()
        let boss = try support.administrator("boss")
        support.server.advanceClock(by: .seconds(3590))
        #expect(support.send("GET", "self", by: boss.accessToken).status == 200)
        support.server.advanceClock(by: .seconds(20))
        let refused = support.send("GET", "self", by: boss.accessToken)
        #expect(refused.status == 401 && refused.code == "login_too_old")
        #expect(refused.header("www-authenticate")?.contains("max_age=3600") == true)
        let refreshed = try support.server.refresh(boss.refreshToken).accessToken
        #expect(support.send("GET", "self", by: refreshed).code == "login_too_old")
        let later = Int64(Date().timeIntervalSince1970) + 100_000
        let forged = try ForgedToken.accessToken(like: refreshed, authenticatedAt: later)
        #expect(support.send("GET", "self", by: forged).code == "login_too_old", "the session's time counts")
        let again = try support.server.devLogin("boss@example.com").accessToken
        #expect(support.send("GET", "self", by: again).status == 200)
    }

    @Test("A bound session needs a proof for each request, also for one that only reads")
    func bound() throws {
        let support = try SupportServer()
        _ = try support.administrator("bound")
        let client = try BoundClient(at: support.server, "bound@example.com")
        #expect(support.send("GET", "self", by: client.tokens.accessToken).code == "invalid_dpop_proof")
        let request = TestRequest.get("/api/admin/self", bearer: client.tokens.accessToken)
        #expect(try client.send(request).status == 200)
        let stripped = try ForgedToken.accessToken(like: client.tokens.accessToken, claim: "cnf", "")
        #expect(support.send("GET", "self", by: stripped).status != 200, "a token that does not name the key")
    }

    @Test("A page of another origin gets the answer of an unknown path, also one of CORS_ORIGINS")
    func crossOrigin() throws {
        let support = try SupportServer { $0["CORS_ORIGINS"] = "https://app.example.com" }
        let token = try support.administrator("boss").accessToken
        func ask(_ site: String) -> Int {
            var request = TestRequest.get("/api/admin/self", bearer: token)
            request.headers += [("Origin", "https://app.example.com"), ("Sec-Fetch-Site", site)]
            return support.server.send(request).status
        }
        #expect(["cross-site", "same-site"].map(ask) == [404, 404])
        #expect(["same-origin", "none"].map(ask) == [200, 200])
    }

    @Test("What an administrator was refused is in the audit trail")
    func refusals() throws {
        let support = try SupportServer()
        let (admin, boss) = (try support.administrator("admin", "ADMIN"), try support.administrator("boss"))
        _ = support.send("POST", "users/\(boss.userID)/disable", ["reason": "envy"], by: admin.accessToken)
        _ = support.send("POST", "users/\(admin.userID)/disable", ["reason": "tired"], by: admin.accessToken)
        let query = "type=administrator_refused&actor=\(admin.userID)"
        let refusals = support.entries(query, by: boss.accessToken)
        func facts(_ entry: JSONObject) -> String {
            ["detail", "userId", "reason"].map { entry[$0]?.string ?? "" }.joined(separator: " ")
        }
        #expect(
            Set(refusals.map(facts)) == [
                "insufficient_role \(boss.userID) envy", "own_account \(admin.userID) tired",
            ])
        #expect(refusals.allSatisfy { $0["requestId"]?.string?.isEmpty == false })
    }
}
