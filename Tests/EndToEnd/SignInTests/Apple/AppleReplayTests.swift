import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Replayed identity tokens")
struct AppleReplayTests {
    private static let path = "/api/auth/apple"

    private func verdict(_ response: TestResponse) -> String {
        "\(response.status) " + [response.code, response["reason"]?.string].compactMap { $0 }.joined(separator: " ")
    }

    private let replayed = "401 invalid_apple_token replayed"
    /// A logged-in client must not take the refusal for an expired access token, so the status is not 401.
    private let replayedAtLinking = "422 invalid_apple_token replayed"

    @Test("A repeated token is accepted within the replay grace and refused after it")
    func grace() throws {
        let server = try InProcessServer()
        let login = server.apple.login("001.again")
        let first = server.send(.post(Self.path, login))
        #expect(first["isNewUser"] == true)
        server.advanceClock(by: .seconds(40))
        let again = server.send(.post(Self.path, login))
        #expect(again.status == 200)
        #expect(again["isNewUser"] == false)
        #expect(again.userID == first.userID)
        // The grace counts from the first use: repeated use does not extend it.
        server.advanceClock(by: .seconds(25))
        for _ in 0..<2 {
            let refused = server.send(.post(Self.path, login))
            #expect(verdict(refused) == replayed)
            #expect(refused["detail"]?.string?.contains("Sign in with Apple again") == true)
        }
        server.advanceClock(by: .seconds(3600))
        #expect(verdict(server.send(.post(Self.path, login))) == replayed)
        #expect(try server.me(first.accessToken).code == "access_token_expired")
        #expect(try server.refresh(first.refreshToken).status == 200, "a replay ends no session")
    }

    @Test("Of 64 concurrent logins, one succeeds without a grace and all with one; one user is created")
    func concurrentLogins() throws {
        for (grace, expected) in [("0s", 1), ("60s", 64)] {
            let server = try InProcessServer { $0["APPLE_REPLAY_GRACE"] = grace }
            // The keys are there now. A crowd that comes before them waits a second at most.
            #expect(server.send(.post(Self.path, server.apple.login("001.first"))).status == 200)
            let responses = try server.send(
                .post(Self.path, server.apple.login("001.crowd")), timesAtOnce: 64)
            let good = responses.filter { $0.status == 200 }
            #expect(good.count == expected)
            #expect(good.count { $0["isNewUser"] == true } == 1)
            #expect(Set(good.map(\.userID)).count == 1)
            #expect(Set(good.map(\.refreshToken)).count == expected, "each login opens a session")
            #expect(Set(responses.filter { $0.status != 200 }.map(verdict)) == (grace == "0s" ? [replayed] : []))
        }
    }

    @Test("A used token is still refused after a kill")
    func afterKill() throws {
        let server = try ServerProcess { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let login = server.apple.login("001.killed")
        #expect(try server.send(.post(Self.path, login)).status == 200)
        server.process.signal(9)
        _ = server.process.wait()
        try server.restart()
        #expect(try verdict(server.send(.post(Self.path, login))) == replayed)
        // The grace applies after a kill as well.
        server.process.signal(9)
        _ = server.process.wait()
        try server.restart { $0["APPLE_REPLAY_GRACE"] = "600s" }
        #expect(try server.send(.post(Self.path, login)).status == 200)
    }

    @Test("A refused login does not use up the token")
    func refusedLogins() throws {
        let server = try InProcessServer { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let login = server.apple.login("001.refused") { $0.nonce = "n-1" }
        for (member, value, reason) in [
            ("nonce", "n-2", "nonce"), ("authorizationCode", "another", "code"), ("userIdentifier", "another", "user"),
        ] as [(String, JSONValue, String)] {
            var wrong = login
            wrong[member] = value
            #expect(server.send(.post(Self.path, wrong))["reason"]?.string == reason)
        }
        #expect(server.send(.post(Self.path, login)).status == 200)
    }

    @Test("A login of a disabled user does not use up the token")
    func disabledUser() throws {
        let server = try InProcessServer { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let user = server.send(.post(Self.path, server.apple.login("001.disabled"))).userID
        try server.testDatabase.execute("UPDATE users SET status = 'DISABLED' WHERE id = '\(user)'")
        let login = server.apple.login("001.disabled")
        for _ in 0..<2 { #expect(server.send(.post(Self.path, login)).code == "user_disabled") }
        try server.testDatabase.execute("UPDATE users SET status = 'ACTIVE' WHERE id = '\(user)'")
        #expect(server.send(.post(Self.path, login)).status == 200)
        #expect(verdict(server.send(.post(Self.path, login))) == replayed)
    }

    @Test("A replay neither restores a deleted account nor fills in missing values")
    func deletedAccount() throws {
        let server = try InProcessServer()
        let login = server.apple.login("001.deleted") { $0.email = "gone@example.com" }
        let session = server.send(.post(Self.path, login))
        let bare = server.apple.login("001.bare") { $0.claims = ["email": nil] }
        let other = server.send(.post(Self.path, bare))
        var deletion = TestRequest.get("/api/users/me", bearer: session.accessToken)
        deletion.method = "DELETE"
        #expect(server.send(deletion).status == 204)
        server.advanceClock(by: .seconds(61))
        let before = try TableRowCounts.read(from: server.testDatabase)
        #expect(verdict(server.send(.post(Self.path, login))) == replayed)
        var named = bare
        named["nickname"] = "Mallory"
        #expect(verdict(server.send(.post(Self.path, named))) == replayed)
        #expect(try TableRowCounts.read(from: server.testDatabase) == before)
        #expect(try server.me(other.accessToken)["nickname"]?.isNull == true)
        #expect(server.send(.post(Self.path, server.apple.login("001.deleted")))["isNewUser"] == true)
    }

    @Test("Two tokens of the same user are two logins")
    func twoTokens() throws {
        let server = try InProcessServer { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let logins = (0..<2).map { _ in server.apple.login("001.two") }
        let responses = logins.map { server.send(.post(Self.path, $0)) }
        #expect(responses.map(\.status) == [200, 200])
        #expect(Set(responses.map(\.userID)).count == 1)
        for login in logins { #expect(verdict(server.send(.post(Self.path, login))) == replayed) }
    }

    @Test("Logins and links use up the same token")
    func linking() throws {
        let server = try InProcessServer { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let user = try server.devLogin("linking@example.com")
        let other = try server.devLogin("other@example.com")
        let login = server.apple.login("001.linked")
        func link(_ login: JSONObject, _ bearer: String) -> String {
            verdict(server.send(.post("/api/users/me/accounts/apple", login, bearer: bearer)))
        }
        #expect(link(login, user.accessToken).hasPrefix("200"))
        #expect(link(login, user.accessToken) == replayedAtLinking)
        #expect(verdict(server.send(.post(Self.path, login))) == replayed)
        let second = server.apple.login("001.linked")
        #expect(link(second, other.accessToken) == "409 account_already_linked identity")
        #expect(server.send(.post(Self.path, second)).userID == user.userID)
        #expect(link(second, user.accessToken) == replayedAtLinking)
    }
}
