import Foundation
import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Merging two users")
struct MergeTests {
    private let support: SupportServer
    private let boss: String
    /// Signed in by Apple, and by the development login.
    private let apple: TestResponse
    private let dev: TestResponse

    init() throws {
        support = try SupportServer()
        boss = try support.administrator("boss").accessToken
        apple = support.server.send(.post("/api/auth/apple", support.server.apple.login("merging")))
        dev = try support.server.devLogin("staying@example.com", nickname: "Stays")
    }

    private func merge(_ body: JSONObject = ["reason": "one person"]) -> TestResponse {
        var body = body
        body["into"] = .string(dev.userID)
        return support.send("POST", "users/\(apple.userID)/merge", body, by: boss)
    }

    private func unmerge() -> TestResponse {
        support.send("POST", "users/\(apple.userID)/unmerge", ["reason": "two persons"], by: boss)
    }

    private var appleLogin: TestResponse {
        support.server.send(.post("/api/auth/apple", support.server.apple.login("merging")))
    }

    private func events() throws -> [String] {
        try support.server.testDatabase.connection().all(
            "SELECT type, user_id, detail FROM events ORDER BY number"
        ) { row in
            let user = row.text(1) == dev.userID ? "dev" : "apple"
            return "\(row.text(0)) \(user) \(row.text(2))".replacing(dev.userID, with: "dev")
        }
    }

    @Test("A dry run says what moves, and changes nothing")
    func dryRun() throws {
        let plan = merge(["dryRun": true])
        #expect(plan["merged"] == false && plan["conflicts"] == [] && plan["sessionsEnded"] == 1)
        #expect(plan["moves"]?.object?["accounts"] == ["APPLE"])
        #expect(try support.server.me(apple.accessToken).status == 200)
    }

    @Test("The accounts move, the sessions end, services are told both ids, and undoing it within a day restores both")
    func mergeAndUndo() throws {
        try support.server.testDatabase.execute(
            "INSERT INTO event_receivers (name, types, seen_at) VALUES ('r', '*', 1)")
        let merged = merge()
        #expect(merged.status == 200 && merged["merged"] == true && merged["sessionsEnded"] == 1)
        #expect(merged["user"]?.object?["status"] == "DELETED")
        #expect(merged["into"]?.object?["providers"] == ["APPLE", "DEV"])
        #expect(try support.server.me(apple.accessToken).code == "session_revoked")
        #expect(try support.server.refresh(apple.refreshToken).status == 401)
        #expect(try support.server.me(dev.accessToken).status == 200)
        #expect(appleLogin.userID == dev.userID)
        let told = try events()
        #expect(told.filter { $0.hasPrefix("user.deleted") } == ["user.deleted apple dev"])
        #expect(told.contains("account.linked dev APPLE"))
        #expect(merge().code == "merge_conflict", "the user is deleted")
        let session = appleLogin
        support.server.advanceClock(by: .seconds(1))
        let since = try support.server.devLogin("staying@example.com")
        #expect(since.userID == dev.userID)
        let undone = unmerge()
        #expect(undone.status == 200 && undone["accounts"] == ["APPLE"])
        #expect(try support.server.me(since.accessToken).code == "session_revoked", "opened since the merge")
        #expect(undone["user"]?.object?["status"] == "ACTIVE" && undone["into"]?.object?["providers"] == ["DEV"])
        #expect(appleLogin.userID == apple.userID)
        #expect(try support.server.me(session.accessToken).status == 401, "a session that the moved account opened")
        #expect(try support.server.me(dev.accessToken).status == 200)
        #expect(try events().contains("account.unlinked dev APPLE"))
        #expect(unmerge().code == "not_merged")
        #expect(merge()["merged"] == true, "and once more")
    }

    @Test("A merge cannot be undone after a day, and what is kept for it is deleted")
    func tooLate() throws {
        _ = merge()
        support.server.advanceClock(by: .seconds(86_500))
        let boss = try support.server.devLogin("boss@example.com").accessToken
        let late = support.send("POST", "users/\(apple.userID)/unmerge", ["reason": "too late"], by: boss)
        #expect(late.code == "not_merged")
        try support.server.runMaintenance()
        #expect(try support.server.testDatabase.number("SELECT count(*) FROM merges") == 0)
    }

    @Test("Undoing a merge moves back only what is still there, and leaves nobody without a way to sign in")
    func partly() throws {
        _ = merge()
        try support.server.testDatabase.execute(
            "DELETE FROM auth_accounts WHERE provider = 'DEV' AND user_id = '\(dev.userID)'")
        let refused = unmerge()
        #expect(refused.code == "merge_conflict" && refused["reason"] == "last_account")
        #expect(appleLogin.userID == dev.userID)
    }

    @Test("Undoing a merge deletes a passkey that the user who stays got since, whoever has added it")
    func passkeyOfTheOther() throws {
        let support = try SupportServer { $0["PASSKEY_RP_ID"] = PasskeyFixture.rpID }
        let server = support.server
        let fixture = PasskeyFixture(CodeFixture(try StandInServer(), server))
        let boss = try support.administrator("boss").accessToken
        let intruder = server.send(.post("/api/auth/apple", server.apple.login("intruder")))
        let bob = try server.devLogin("bob@example.com")
        server.advanceClock(by: .seconds(1))
        let path = "users/\(intruder.userID)/"
        let merge = support.send("POST", path + "merge", ["reason": "mistake", "into": .string(bob.userID)], by: boss)
        #expect(merge["merged"] == true)
        server.advanceClock(by: .seconds(1))
        var (device, added) = try fixture.add(to: server.send(.post("/api/auth/apple", server.apple.login("intruder"))))
        #expect(try added.status == 200 && fixture.logIn(&device).userID == bob.userID)
        #expect(support.send("POST", path + "unmerge", ["reason": "undo"], by: boss).status == 200)
        #expect(try fixture.refusal(fixture.logIn(&device)) == "401 invalid_passkey unknown")
        #expect(try fixture.accounts(of: bob).map { $0["provider"] } == ["DEV"])
    }

    @Test("Undoing a merge deletes the passkeys that were added since, and the account that has only these")
    func passkeys() throws {
        for keepsOld in [true, false] {
            let support = try SupportServer { $0["PASSKEY_RP_ID"] = PasskeyFixture.rpID }
            let server = support.server
            let fixture = PasskeyFixture(CodeFixture(try StandInServer(), server))
            let boss = try support.administrator("boss").accessToken
            var (alices, alice) = try fixture.newUser()
            let apple = TestRequest.post(
                "/api/users/me/accounts/apple", server.apple.login("alice"), bearer: alice.accessToken)
            #expect(server.send(apple).status == 200)
            let bob = try server.devLogin("bob@example.com")
            server.advanceClock(by: .seconds(1))
            let merge = support.send(
                "POST", "users/\(alice.userID)/merge", ["reason": "one person", "into": .string(bob.userID)], by: boss)
            #expect(merge["merged"] == true, "\(merge.json)")
            server.advanceClock(by: .seconds(1))
            var (bobs, added) = try fixture.add(to: bob)
            #expect(try added.status == 200 && fixture.logIn(&bobs).userID == bob.userID)
            if !keepsOld {
                let old = try #require(fixture.passkeys(of: bob).first?["id"]?.string)
                var request = TestRequest.post("/api/users/me/passkeys/\(old)", [:], bearer: bob.accessToken)
                request.method = "DELETE"
                #expect(server.send(request).status == 204)
            }
            let undone = support.send("POST", "users/\(alice.userID)/unmerge", ["reason": "two persons"], by: boss)
            #expect(undone.status == 200, "\(undone.json)")
            #expect(try fixture.refusal(fixture.logIn(&bobs)) == "401 invalid_passkey unknown")
            let id = try #require(added["id"]?.string)
            let removed = "SELECT count(*) FROM audit_events WHERE kind = 'passkey_removed' AND detail = '\(id)'"
            #expect(try server.testDatabase.number(removed) == 1)
            #expect(try server.me(bob.accessToken).status == 200)
            if keepsOld { #expect(try fixture.logIn(&alices).userID == alice.userID) }
            let back = server.send(.post("/api/auth/apple", server.apple.login("alice")))
            #expect(back.userID == alice.userID)
            #expect(try fixture.accounts(of: back).count == (keepsOld ? 2 : 1))
            #expect(try fixture.accounts(of: bob).map { $0["provider"] } == ["DEV"])
        }
    }

    @Test("Conflicts refuse a merge: two accounts of a provider, a disabled user, an administrator, the same user")
    func conflicts() throws {
        let other = try support.server.devLogin("other@example.com")
        func refusal(_ user: String, _ into: String) -> String {
            let body: JSONObject = ["reason": "a reason", "into": .string(into)]
            let answer = support.send("POST", "users/\(user)/merge", body, by: boss)
            return "\(answer.code ?? "") \(answer["reason"]?.string ?? "")"
        }
        #expect(refusal(other.userID, dev.userID) == "merge_conflict account")
        #expect(refusal(dev.userID, dev.userID) == "merge_conflict status")
        #expect(refusal("user_unknown", dev.userID) == "not_found ")
        #expect(refusal(dev.userID, "user_unknown") == "not_found ")
        let admin = try support.administrator("admin", "ADMIN")
        #expect(refusal(apple.userID, admin.userID) == "merge_conflict role")
        _ = support.send("POST", "users/\(apple.userID)/disable", ["reason": "a reason"], by: boss)
        #expect(refusal(apple.userID, dev.userID) == "merge_conflict status")
        #expect(refusal(dev.userID, apple.userID) == "merge_conflict status")
        #expect(merge(["dryRun": true])["conflicts"]?.array?.count == 1)
    }

    @Test("An ADMIN cannot merge a user into an administrator's account, nor one's own")
    func escalation() throws {
        let admin = try support.administrator("admin", "ADMIN")
        let boss = try support.administrator("boss")
        for target in [boss.userID, admin.userID] {
            let body: JSONObject = ["reason": "a reason", "into": .string(target)]
            let answer = support.send("POST", "users/\(apple.userID)/merge", body, by: admin.accessToken)
            #expect(answer.code == (target == admin.userID ? "own_account" : "insufficient_role"))
        }
        #expect(appleLogin.userID == apple.userID)
    }

    @Test("The command merges with the reason in the audit trail, and undoes it")
    func command() throws {
        let environment = ["DATABASE_URL": support.server.testDatabase.url]
        func run(_ words: String...) throws -> (status: Int32, output: String) {
            let outcome = try Shell.outcome(of: [Executable.gatehouse] + words, environment: environment)
            return (outcome.status, String(decoding: outcome.output, as: UTF8.self))
        }
        #expect(try run("users", "merge", apple.userID, dev.userID).status == 2, "without a terminal or --yes")
        #expect(try run("users", "merge", apple.userID, dev.userID, "--dry-run", "--json").output.contains("\"APPLE\""))
        #expect(try run("users", "merge", apple.userID, dev.userID, "--yes", "--reason", "by hand").status == 0)
        #expect(appleLogin.userID == dev.userID)
        #expect(try run("audit", "export").output.contains("\"reason\":\"by hand\""))
        #expect(try run("users", "merge", apple.userID, dev.userID, "--yes").status == 1)
        #expect(try run("users", "unmerge", apple.userID).status == 0)
        #expect(try run("users", "unmerge", apple.userID).status == 1)
        #expect(appleLogin.userID == apple.userID)
    }
}
