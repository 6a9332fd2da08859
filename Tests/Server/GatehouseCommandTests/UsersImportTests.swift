import Foundation
import Gatehouse
import GatehouseStore
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users import")
struct UsersImportTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private func file(_ lines: [String], _ name: String = "users.jsonl") throws -> String {
        try registry.tool.file(name, lines.joined(separator: "\n") + "\n")
    }

    private func line(_ subject: String, _ members: String = "") -> String {
        "{\"ref\":\"r\(subject)\",\"identities\":[{\"provider\":\"apple\",\"subject\":\"\(subject)\"}]\(members)}"
    }

    private func subjects() throws -> [String] {
        try registry.store.exportedUsers(after: nil, limit: 10_000).flatMap { $0.accounts.map(\.subject) }.sorted()
    }

    private func report(_ path: String) throws -> [JSONObject] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONValue(parsing: String(line)).object)
        }
    }

    @Test("imports the good lines, names the faults of the others without their text, and exits 1")
    func faults() throws {
        let secret = "hunter2@example.com"
        let path = try file([
            line("1"), "{\"email\":\"\(secret)\"}", secret, line("2", ",\"role\":\"ADMIN\""), "",
            line("3", ",\"emial\":\"\(secret)\""), String(repeating: secret, count: 5000), line("4") + "\r", line("1"),
        ])
        let report = registry.tool.folder.file("report")
        let outcome = try registry.run("users", "import", path, "--report", report)
        #expect(outcome.status == 1, "\(outcome.everything)")
        #expect(
            outcome.text.contains("imported 3 users") && outcome.text.contains("1 exist already; 4 lines have faults"))
        for line in [2, 3, 4, 7] { #expect(outcome.errorOutput.contains("line \(line): "), "\(outcome.errorOutput)") }
        #expect(outcome.errorOutput.contains("1 lines have members that Gatehouse does not know"))
        #expect(!outcome.everything.contains("hunter2") && !outcome.everything.contains("emial"))
        #expect(try subjects() == ["1", "3", "4"])
        let lines = try self.report(report)
        #expect(lines.compactMap { $0["line"]?.integer } == [1, 2, 3, 4, 6, 7, 8, 9])
        let results = lines.compactMap { $0["result"]?.string }
        #expect(results == ["imported", "fault", "fault", "fault", "imported", "fault", "imported", "exists"])
        #expect(lines[0]["userId"]?.string == lines[7]["userId"]?.string && lines[0]["userId"]?.string != nil)
        #expect(lines[0]["ref"] == "r1" && lines[3]["reasons"]?.array?.count == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: report)[.posixPermissions] as? Int == 0o600)
    }

    @Test("with --roles an administrator is imported, and the audit trail names the operator")
    func roles() throws {
        let path = try file([line("1", ",\"role\":\"ADMIN\"")])
        #expect(try registry.run("users", "import", path).status == 1)
        #expect(try subjects().isEmpty && registry.store.auditEvents(AuditQuery(limit: 10)).isEmpty)
        #expect(try registry.run("users", "import", path, "--roles").status == 0)
        let events = try registry.store.auditEvents(AuditQuery(limit: 10))
        #expect(
            Set(events.map(\.kind)) == [.roleChanged, .usersImported] && events.allSatisfy { $0.operatorName != nil })
    }

    @Test("--dry-run writes nothing, and counts what an import would do")
    func dryRun() throws {
        let path = try file([line("1"), line("2"), line("1"), "{}"])
        let outcome = try registry.run("users", "import", path, "--dry-run", "--json")
        let json = try JSONValue(parsing: outcome.output).object
        #expect(json?["imported"] == 2 && json?["existing"] == 1 && json?["faulty"] == 1 && json?["dryRun"] == true)
        #expect(try subjects().isEmpty)
    }

    @Test("reads standard input, prints 20 faults at most, and says where the rest is")
    func standardInput() throws {
        let input = (1...40).map { line("\($0)", $0.isMultiple(of: 2) ? ",\"status\":5" : "") }.joined(separator: "\n")
        let many = try registry.tool.run(["users", "import", "-"], registry.environment, input: input)
        #expect(many.status == 1 && many.text.contains("imported 20 users"), "\(many.everything)")
        #expect(!many.errorOutput.contains("more lines"))
        let worse = try registry.tool.run(
            ["users", "import", "-"], registry.environment, input: String(repeating: "{}\n", count: 22))
        #expect(worse.errorOutput.split(separator: "\n").count == 21)
        #expect(worse.errorOutput.contains("… and 2 more lines with faults: --report REPORT lists all"))
    }

    @Test("a file that is missing, a folder, and a report in place of the file are refused")
    func files() throws {
        let path = try file([line("1")])
        #expect(try registry.run("users", "import", path + ".missing").status == 3)
        #expect(try registry.run("users", "import", registry.tool.folder.path).status == 3)
        #expect(try registry.run("users", "import", path, "--report", path).status == 2)
        #expect(try registry.run("users", "import", path).status == 0, "the file is as it was")
        #expect(try registry.tool.run(["users", "import", path], ["DATABASE_URL": "sqlite:/nowhere/g.db"]).status == 3)
    }

    @Test("an import that is killed leaves whole users, an entry of the audit trail that counts them, and goes on")
    func killed() throws {
        let count = 1500
        let path = try file((1...count).map { line("\($0)", ",\"phone\":\"+861380013\(1000 + $0)\"") })
        let call = TestDatabase.isOnServer ? "sendto" : "pwrite64"
        var kills = 0
        for number in [4, 40, 90, 150, 220] {
            let words = Killing.at(call, number) + [Executable.gatehouse, "users", "import", path]
            let killed = try Shell.outcome(of: words, environment: registry.environment)
            guard killed.status == 137 else { continue }
            kills += 1
            let users = try registry.store.exportedUsers(after: nil, limit: 10_000)
            #expect(users.allSatisfy { $0.accounts.count == 2 && $0.user.phone != nil })
            let counted = try registry.store.auditEvents(AuditQuery(kind: .usersImported, limit: 100)).map(\.count)
            #expect(counted.reduce(0, +) == Int64(users.count))
        }
        #expect(kills > 1)
        let before = try subjects().count / 2
        let finished = try registry.run("users", "import", path)
        #expect(finished.status == 0 && finished.text.contains("\(before) exist already"), "\(finished.everything)")
        #expect(try subjects().count == 2 * count)
    }

    @Test("identities of disabled users need the refresh secret, which recognises them")
    func barred() throws {
        let path = try file([line("1")])
        let connection = TestDatabase(url: registry.environment["DATABASE_URL"] ?? "")
        try connection.execute(
            "INSERT INTO barred_identities (hash, user_id, moment) VALUES (\(TestDatabase.isOnServer ? "'\\x01'" : "x'01'"), 'user_1', 1)"
        )
        let refused = try registry.run("users", "import", path)
        #expect(refused.status == 2 && refused.errorOutput.contains("JWT_REFRESH_SECRET"), "\(refused.everything)")
        let environment = registry.environment.merging(Tool.secrets) { $1 }
        let outcome = try registry.tool.run(["users", "import", path], environment)
        #expect(outcome.status == 0, "\(outcome.everything)")
    }
}
