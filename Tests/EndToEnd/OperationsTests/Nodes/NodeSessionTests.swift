import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Sessions and logins at several nodes")
struct NodeSessionTests {
    @Test("A refresh whose answer one node lost is repeated by the other one with the same bytes")
    func lostAnswer() throws {
        let nodes = try TwoNodes()
        var token = try nodes.first.devLogin("lost@example.com").refreshToken
        for round in 0..<20 {
            let lost = try nodes[round].refresh(token)
            let again = try nodes[round + 1].refresh(token)
            #expect(lost.status == 200 && again.refreshToken == lost.refreshToken)
            token = again.refreshToken
        }
    }

    @Test("Refreshes of one token at both nodes at the same moment do not fork the session")
    func racing() throws {
        let nodes = try TwoNodes()
        let login = try nodes.first.devLogin("racing@example.com")
        var token = login.refreshToken
        for round in 0..<20 {
            let answers = try Concurrently.run(8) { [token] in try nodes[$0].refresh(token) }
            #expect(answers.allSatisfy { $0.status == 200 && $0.refreshToken == answers[0].refreshToken })
            #expect(answers[0].generation == Int64(round + 2))
            token = answers[0].refreshToken
        }
    }

    @Test(
        "A refresh token that the database does not know yet is 503 for a minute, where another server may know it",
        arguments: [true, false])
    func databaseBehind(hasStandby: Bool) throws {
        let nodes = try TwoNodes { variables in
            guard hasStandby, let url = variables["DATABASE_URL"] else { return }
            // The same server twice: one of them may become the primary.
            let host = url.drop { $0 != "=" }.prefix { $0 != "&" }
            variables["DATABASE_URL"] = url.replacing("host\(host)", with: "host\(host),\(host.dropFirst())")
        }
        let login = try nodes.first.devLogin("behind@example.com")
        let next = try nodes.first.refresh(login.refreshToken)
        // As in the database of an old primary.
        for change in ["UPDATE refresh_tokens SET generation = 1", "DELETE FROM refresh_tokens"] {
            try nodes.first.testDatabase.execute(change)
            let refused = try nodes.second.refresh(next.refreshToken)
            if hasStandby {
                expectProblem(refused, 503, "storage_unavailable")
            } else {
                expectProblem(refused, 401, "invalid_refresh_token")
            }
        }
        try nodes.first.testDatabase.execute("UPDATE users SET status = 'DELETED'")
        #expect(try nodes.second.refresh(next.refreshToken).code == "invalid_refresh_token")
    }

    @Test(
        "What was deleted, disabled or signed out at one node changes no account at the other one, which does not know of it",
        arguments: [
            ("DELETED", "active", 401, "session_revoked"), ("DISABLED", "active", 403, "user_disabled"),
            ("ACTIVE", "revoked", 401, "session_revoked"),
        ])
    func ended(status: String, session: String, refusal: Int, code: String) throws {
        let nodes = try TwoNodes()
        try nodes.dropNotifications()
        for change in ["link", "unlink", "delete"] {
            let login = try nodes.first.devLogin("\(change)@example.com")
            let apple = "/api/users/me/accounts/apple"
            if change != "link" {
                let linked = try nodes.first.send(
                    .post(apple, nodes.first.apple.login("first \(change)"), bearer: login.accessToken))
                #expect(linked.status == 200)
            }
            // Without an entry in the log of revocations: the other node has not read it yet.
            try nodes.database.execute("UPDATE users SET status = '\(status)' WHERE id = '\(login.userID)'")
            if session == "revoked" {
                try nodes.database.execute(
                    "UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'logout' WHERE user_id = '\(login.userID)'"
                )
            }
            let request: TestRequest =
                switch change {
                case "link": .post(apple, nodes.second.apple.login(change), bearer: login.accessToken)
                case "unlink": .delete(apple, bearer: login.accessToken)
                default: .delete("/api/users/me", bearer: login.accessToken)
                }
            let refused = try nodes.second.send(request)
            expectProblem(refused, refusal, code)
            let accounts = "auth_accounts WHERE user_id = '\(login.userID)'"
            #expect(try nodes.first.count(accounts) == (change == "link" ? 1 : 2))
        }
    }

    @Test("An old refresh token is theft at one node when the other has seen its successor used")
    func confirmed() throws {
        let nodes = try TwoNodes { $0["REFRESH_REUSE_GRACE"] = "0s" }
        let login = try nodes.first.devLogin("confirmed@example.com")
        let next = try nodes.first.refresh(login.refreshToken)
        #expect(try nodes.second.verify(next.accessToken).status == 204)
        #expect(
            Eventually.holds {
                (try? nodes.first.count("refresh_tokens WHERE confirmed_at IS NOT NULL")) == 1
            })
        #expect(try nodes.first.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try nodes.second.refresh(next.refreshToken).code == "refresh_token_reused")
    }

    @Test("An identity token opens one session, whichever nodes it is sent to")
    func replayed() throws {
        let nodes = try TwoNodes { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let login = nodes.first.apple.login("replayed")
        #expect(try nodes.first.send(.post("/api/auth/apple", login)).status == 200)
        let refused = try nodes.second.send(.post("/api/auth/apple", login))
        #expect(refused.code == "invalid_apple_token" && refused["reason"] == "replayed")
        for round in 0..<5 {
            let login = nodes.first.apple.login("racing \(round)")
            let answers = try Concurrently.run(8) { try nodes[$0].send(.post("/api/auth/apple", login)) }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0["reason"] == "replayed" } == 7)
        }
        #expect(try nodes.first.count("users") == 6)
    }

    @Test("A challenge of one node is redeemed once, at either node")
    func challenge() throws {
        let nodes = try TwoNodes { $0["APPLE_NONCE"] = "challenge" }
        for round in 0..<5 {
            let challenge = try nodes.first.send(.post("/api/auth/apple/challenge", bearer: nil))
            let nonce = try #require(challenge["nonce"]?.string)
            let answers = try Concurrently.run(8) { index in
                let login = nodes.first.apple.login("challenged \(round) \(index)") { $0.nonce = nonce }
                return try nodes[index].send(.post("/api/auth/apple", login))
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0["reason"] == "nonce" } == 7)
        }
    }
}
