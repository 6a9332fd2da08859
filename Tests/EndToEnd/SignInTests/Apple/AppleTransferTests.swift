import DevelopmentHTTP
import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// Both teams are played by the fake Apple, and the server runs all the time.
@Suite("Transferring the app to another developer team")
struct AppleTransferTests {
    private let fixture: AppleDeveloperFixture
    private let folder: TemporaryFolder

    init() throws {
        fixture = try AppleDeveloperFixture()
        folder = try TemporaryFolder()
    }

    private func variables(_ team: Int) -> [String: String] {
        (team == 0 ? fixture.apple.developerSettings : fixture.apple.otherTeamSettings).merging([
            "DATABASE_URL": fixture.server.databaseURL, "APPLE_BUNDLE_ID": FakeAppleIssuer.bundleID,
        ]) { $1 }
    }

    private func run(_ team: Int, _ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(of: [Executable.gatehouse, "apple", "transfer"] + words, environment: variables(team))
    }

    private func export(_ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(
            of: [Executable.gatehouse, "apple", "transfer", "export", "--target", DeveloperAccount.otherTeamID] + words,
            environment: variables(0))
    }

    private func json(_ outcome: Shell.Outcome) throws -> JSONObject {
        try #require(try JSONValue(parsing: outcome.output).object)
    }

    private func transferApp() throws {
        try fixture.apple.service.transfer(["to": .string(DeveloperAccount.otherTeamID)])
    }

    private func count(_ condition: String) throws -> Int64 {
        try fixture.number("SELECT count(*) FROM auth_accounts WHERE \(condition)")
    }

    @Test("users keep their sessions, and sign in to the same account before and after the import")
    func transfer() throws {
        let between = try fixture.logIn("ann")
        let after = try fixture.logIn("bob")
        let shares = try fixture.logIn(fixture.apple.login("eve") { $0.email = "eve@example.com" })
        #expect(try json(export("--dry-run", "--json"))["waiting"] == 3)
        let exported = try export("--json")
        #expect(try exported.status == 0 && json(exported)["done"] == 3)

        try transferApp()
        let again = try fixture.logIn("ann")
        #expect(again.userID == between.userID && again["isNewUser"] == false)

        let imported = try run(1, "import", "--json")
        #expect(try imported.status == 0 && json(imported)["done"] == 3, "\(imported.errorOutput)")
        #expect(try count("former_sub IN ('ann', 'bob', 'eve') AND transferred_at IS NOT NULL") == 3)
        let (bob, eve) = (try fixture.server.me(after.accessToken), try fixture.server.me(shares.accessToken))
        #expect(bob["email"]?.string?.hasSuffix("@privaterelay.appleid.com") == true)
        #expect(bob["email"] != after["user"]?.object?["email"] && eve["email"] == "eve@example.com")
        for (person, login) in [("ann", between), ("bob", after), ("eve", shares)] {
            #expect(try fixture.server.refresh(login.refreshToken).status == 200, "\(person)'s session lives on")
            let next = try fixture.logIn(person)
            #expect(next.userID == login.userID && next["isNewUser"] == false, "\(person)")
        }
        try fixture.apple.service.transfer(["window": "closed"])
        #expect(try fixture.logIn("bob").userID == after.userID, "without a transfer subject in the token")
        let audit = try fixture.server.auditTrail().filter { $0["kind"]?.string?.hasPrefix("apple_") == true }
        #expect(audit.contains { $0["kind"] == "apple_transfer_exported" && $0["detail"] == "FAKEAPPLE2" })
        #expect(audit.contains { $0["kind"] == "apple_account_moved" && $0["userId"] == .string(after.userID) })
    }

    @Test("what cannot be moved is counted and listed by the ids of users, and everything else is moved")
    func unmoved() throws {
        let ann = try fixture.logIn("ann")
        let bob = try fixture.logIn("bob")
        try fixture.apple.service.transfer(["revoked": ["bob"]])
        let list = folder.file("unmoved.jsonl")
        #expect(try export("--report", list).status == 1)
        #expect(try lines(list) == [["userId": .string(bob.userID), "result": "refused"]])
        let before = fixture.requests(of: "/auth/usermigrationinfo").count
        #expect(try export().status == 1, "and is not asked about again")
        #expect(fixture.requests(of: "/auth/usermigrationinfo").count == before)
        try fixture.apple.service.transfer(["revoked": []])
        #expect(try export("--retry-refused").status == 0)

        try transferApp()
        // Signs in without a transfer subject, as with a client that is asked for it too late.
        let new = try fixture.logIn(fixture.apple.login("ann") { $0.claims["transfer_sub"] = .null })
        #expect(new.userID != ann.userID)
        let imported = try run(1, "import", "--json", "--report", list)
        #expect(imported.status == 1)
        #expect(try json(imported)["conflicts"] == 1 && json(imported)["done"] == 1)
        #expect(
            try lines(list) == [
                ["userId": .string(ann.userID), "result": "conflict", "otherUserId": .string(new.userID)]
            ])
        for secret in ["ann@", "privaterelay", "004444", "002222"] {
            #expect(
                !(imported.text + imported.errorOutput + (try String(contentsOfFile: list, encoding: .utf8))).contains(
                    secret))
        }
        #expect(try fixture.logIn("bob").userID == bob.userID)
    }

    private func lines(_ path: String) throws -> [JSONObject] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .compactMap { try JSONValue(parsing: String($0)).object }
    }

    @Test("a run that was killed goes on where it was")
    func killed() throws {
        let logins = try (1...12).map { try fixture.logIn("user-\($0)") }
        fixture.apple.service.addFault(
            try Fault(["fault": "delay", "seconds": 1, "path": "/auth/usermigrationinfo"]))
        let process = try ChildProcess(
            [Executable.gatehouse, "apple", "transfer", "export", "--target", "FAKEAPPLE2", "--parallel", "1"],
            environment: variables(0), log: folder.file("log"))
        #expect(Eventually.holds { (try? count("transfer_sub IS NOT NULL")) ?? 0 >= 2 })
        process.signal(SIGKILL)
        _ = process.wait()
        fixture.apple.service.removeFaults()
        let kept = try count("transfer_sub IS NOT NULL")
        let rest = try json(export("--json"))
        #expect(rest["done"] == .integer(12 - kept) && rest["doneBefore"] == .integer(kept))

        try transferApp()
        #expect(try run(1, "import").status == 0)
        for (number, login) in logins.enumerated() {
            #expect(try fixture.logIn("user-\(number + 1)").userID == login.userID)
        }
    }

    @Test("wrong credentials, a wrong team and a transfer that is not complete stop with advice, and change nothing")
    func mistakes() throws {
        _ = try fixture.logIn("ann")
        let own = try run(0, "export", "--target", "FAKEAPPLE1")
        #expect(own.status == 2 && own.errorOutput.contains("APPLE_TEAM_ID itself"))
        #expect(try run(0, "export").status == 2 && run(0, "export", "--target", "../x").status == 2)
        let early = try run(1, "export", "--target", "FAKEAPPLE1")
        #expect(early.status == 2 && early.errorOutput.contains("invalid_client"))
        #expect(try count("transfer_sub IS NOT NULL OR transfer_refused IS NOT NULL") == 0)

        #expect(try export().status == 0)
        let former = try run(0, "import")
        #expect(former.status == 2 && former.errorOutput.contains("another team than APPLE_TEAM_ID"))
        let notYet = try run(1, "import")
        #expect(notYet.status == 2 && notYet.errorOutput.contains("the team that got the app"))
        #expect(try count("former_sub IS NOT NULL OR transfer_refused IS NOT NULL") == 0)
        var variables = variables(0)
        variables["APPLE_KEY_ID"] = nil
        let missing = try Shell.outcome(
            of: [Executable.gatehouse, "apple", "transfer", "import"], environment: variables)
        #expect(missing.status == 2 && missing.errorOutput.contains("APPLE_KEY_ID"))
    }

    @Test("when Apple refuses the first users and moves none, the run ends and keeps no refusal")
    func refusesAll() throws {
        for number in 1...30 {
            try fixture.server.change(
                """
                INSERT INTO users (id, created_at, updated_at) VALUES ('user_\(number)', 1, 1);
                INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
                VALUES ('acct_\(number)_apple', 'user_\(number)', 'APPLE', 's\(number)', 1, 1);
                """)
        }
        let wrong = try run(0, "export", "--target", "FAKEAPPLE3")
        #expect(wrong.status == 3 && wrong.errorOutput.contains("FAKEAPPLE3"))
        #expect(try count("transfer_refused IS NOT NULL") == 0)
        let right = try export("--json")
        #expect(try right.status == 0 && json(right)["done"] == 30)
    }
}
