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
            line("3", ",\"emial\":\"\(secret)\""), String(repeating: secret, count: 5000), line("4") + "\r", line("5"),
        ])
        try registry.run("users", "import", try file([line("5")], "before.jsonl")).expect(0)
        let report = registry.tool.folder.file("report")
        let outcome = try registry.run("users", "import", path, "--report", report)
        outcome.expect(1)
        #expect(
            outcome.text.contains("imported 3 users") && outcome.text.contains("1 exist already; 4 lines have faults"))
        for line in [2, 3, 4, 7] { #expect(outcome.errorOutput.contains("line \(line): "), "\(outcome.errorOutput)") }
        #expect(outcome.errorOutput.contains("1 lines have members that Gatehouse does not know"))
        #expect(!outcome.everything.contains("hunter2") && !outcome.everything.contains("emial"))
        #expect(try subjects() == ["1", "3", "4", "5"])
        let lines = try self.report(report)
        #expect(lines.compactMap { $0["line"]?.integer } == [1, 2, 3, 4, 6, 7, 8, 9])
        let results = lines.compactMap { $0["result"]?.string }
        #expect(results == ["imported", "fault", "fault", "fault", "imported", "fault", "imported", "exists"])
        #expect(lines[0]["userId"]?.string != nil && lines[7]["userId"]?.string != nil)
        #expect(lines[0]["ref"] == "r1" && lines[3]["reasons"]?.array?.count == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: report)[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "a file that has to be converted is recognised, and the command to convert it is named",
        arguments: [
            (#"{"users": [{"localId": "1"}]}"#, "firebase"), ("\u{FEFF}\n{\n  \"users\": [\n", "firebase"),
            (#"[{"uid": "1"}]"#, "firebase"), ("instance_id,id,email,encrypted_password\n", "supabase"),
            (#""id","user_id","identity_data","provider""#, "supabase"),
            (#"[{"id": "1", "raw_user_meta_data": {}}]"#, "supabase"),
        ])
    func raw(content: String, product: String) throws {
        let outcome = try registry.run("users", "import", file([content]))
        outcome.expect(2)
        #expect(outcome.errorOutput.contains("gatehouse users convert \(product) "), "\(outcome.errorOutput)")
        #expect(try subjects().isEmpty)
    }

    @Test("the name of a provider may be in either case, and no line of users is taken for another product's file")
    func providerCase() throws {
        let lines = ["apple", "APPLE", "Google", "PHONE", "pHoNe"].enumerated().map { number, provider in
            let subject = provider.uppercased() == "PHONE" ? "+861380013800\(number)" : "\(number)"
            let nickname = "encrypted_password [{ localId"
            return #"{"nickname":"\#(nickname)","identities":[{"provider":"\#(provider)","subject":"\#(subject)"}]}"#
        }
        try registry.run("users", "import", file(lines)).expect(0)
        let providers = try registry.store.exportedUsers(after: nil, limit: 10).flatMap { $0.accounts.map(\.provider) }
        #expect(providers.map(\.rawValue).sorted() == ["APPLE", "APPLE", "GOOGLE", "PHONE", "PHONE"])
    }

    @Test("with --roles an administrator is imported, and the audit trail names the operator")
    func roles() throws {
        let path = try file([line("1", ",\"role\":\"ADMIN\"")])
        try registry.run("users", "import", path).expect(1)
        #expect(try subjects().isEmpty && registry.store.auditEvents(AuditQuery(limit: 10)).isEmpty)
        try registry.run("users", "import", path, "--roles").expect(0)
        let events = try registry.store.auditEvents(AuditQuery(limit: 10))
        #expect(
            Set(events.map(\.kind)) == [.roleChanged, .usersImported] && events.allSatisfy { $0.operatorName != nil })
    }

    @Test("--dry-run writes nothing, and counts what an import would do")
    func dryRun() throws {
        let path = try file([line("1"), line("2"), line("3"), line("3"), "{}"])
        let outcome = try registry.run("users", "import", path, "--dry-run", "--json")
        let json = try JSONValue(parsing: outcome.output).object
        #expect(json?["imported"] == 2 && json?["existing"] == 0 && json?["faulty"] == 3 && json?["dryRun"] == true)
        #expect(try subjects().isEmpty)
    }

    /// An attacker's line may claim the account of another person, before or after the right line, also with a fault.
    @Test("an identity that two lines have is a fault of both, which the report names, and neither is imported")
    func claimedTwice() throws {
        func user(_ provider: String, _ subject: String, _ more: String = "") -> String {
            "{\"identities\":[{\"provider\":\"\(provider)\",\"subject\":\"\(subject)\"\(more)}]}"
        }
        let pairs = [
            (line("s"), line("s", ",\"status\":5")),
            (user("google", "s"), "{\"identities\":[{},{\"provider\":\"google\",\"subject\":\"s\"}]}"),
            (user("phone", "+86 138 0013 8000"), line("p", ",\"phone\":\"+8613800138000\"")),
            (user("phone", "+541123456789"), user("phone", "+5491123456789")),
            (user("email", "A@example.com"), user("email", "a@EXAMPLE.com ")),
            (user("wechat", "o1", ",\"unionSub\":\"u\""), user("wechat", "o2", ",\"unionSub\":\"u\"")),
            (user("apple", "a1", ",\"transferSub\":\"t\""), user("apple", "a2", ",\"transfer_sub\":\"t\"")),
        ]
        // A line may have its own number twice, and two providers may have one subject.
        let good = [
            user("phone", "+8613800138001").dropLast() + ",\"phone\":\"+8613800138001\"}", line("1"),
            user("google", "1"),
        ]
        let path = try file(pairs.map(\.0) + good + pairs.map(\.1))
        let report = registry.tool.folder.file("report")
        for input in [path, "-"] {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let outcome = try registry.tool.run(
                ["users", "import", input, "--report", report], registry.environment, input: text)
            outcome.expect(1, printing: input == "-" ? "3 exist already; 14 lines" : "imported 3 users")
            #expect(try subjects() == ["+8613800138001", "1", "1"])
            for (number, line) in try self.report(report).enumerated() where line["result"] == "fault" {
                let other = number < pairs.count ? number + pairs.count + good.count : number - pairs.count - good.count
                let reasons = line["reasons"]?.array?.compactMap(\.string) ?? []
                #expect(reasons.contains { $0.hasSuffix("must not be in two lines: line \(other + 1) has it, too") })
            }
        }
    }

    @Test("reads standard input, prints 20 faults at most, and says where the rest is")
    func standardInput() throws {
        let input = (1...40).map { line("\($0)", $0.isMultiple(of: 2) ? ",\"status\":5" : "") }.joined(separator: "\n")
        let many = try registry.tool.run(["users", "import", "-"], registry.environment, input: input)
        many.expect(1, printing: "imported 20 users")
        #expect(!many.errorOutput.contains("more lines"))
        let worse = try registry.tool.run(
            ["users", "import", "-"], registry.environment, input: String(repeating: "{}\n", count: 22))
        #expect(worse.errorOutput.split(separator: "\n").count == 21)
        #expect(worse.errorOutput.contains("… and 2 more lines with faults: --report REPORT lists all"))
    }

    @Test("a file that is missing, a folder, and a report in place of the file are refused")
    func files() throws {
        let path = try file([line("1")])
        try registry.run("users", "import", path + ".missing").expect(3)
        try registry.run("users", "import", registry.tool.folder.path).expect(3)
        try registry.run("users", "import", path, "--report", path).expect(2)
        #expect(try registry.run("users", "import", path).status == 0, "the file is as it was")
        try registry.tool.run(["users", "import", path], ["DATABASE_URL": "sqlite:/nowhere/g.db"]).expect(3)
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
        try registry.run("users", "import", path).expect(0, printing: "\(before) exist already")
        #expect(try subjects().count == 2 * count)
    }

    @Test("identities of disabled users need the refresh secret, which recognises them")
    func barred() throws {
        let path = try file([line("1")])
        let connection = TestDatabase(url: registry.environment["DATABASE_URL"] ?? "")
        try connection.execute(
            "INSERT INTO barred_identities (hash, user_id, moment) VALUES (\(TestDatabase.isOnServer ? "'\\x01'" : "x'01'"), 'user_1', 1)"
        )
        try registry.run("users", "import", path).expect(2, saying: "JWT_REFRESH_SECRET")
        let environment = registry.environment.merging(Tool.secrets) { $1 }
        try registry.tool.run(["users", "import", path], environment).expect(0)
    }
}

@Suite("gatehouse users export")
struct UsersExportTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private func run(_ words: String..., on url: String) throws -> Shell.Outcome {
        try registry.tool.run(words, ["DATABASE_URL": url])
    }

    @Test("an export that is imported into an empty database is exported again with the same bytes")
    func roundTrip() throws {
        try registry.add("1", email: "Ada@Example.com", nickname: "Ada \"L\" é", isVerified: true, role: .admin)
        try registry.add("2", after: 1, email: nil, provider: .dev)
        try registry.add("3", after: 2, email: "x@example.com", isVerified: false)
        try registry.run("users", "disable", "user_3").expect(0)
        try registry.add("4", after: 3)
        try registry.run("users", "delete", "user_4", "--yes").expect(0)
        // Ids of the tests are not those of Gatehouse: the first round gives them ids that are kept.
        let folder = registry.tool.folder
        let databases = try (1...2).map { try TestDatabase(file: folder.file("copy\($0).db")) }
        for database in databases { _ = try database.store() }
        let (first, second, third) = (folder.file("1.jsonl"), folder.file("2.jsonl"), folder.file("3.jsonl"))
        try registry.run("users", "export", first).expect(0)
        let text = try String(contentsOfFile: first, encoding: .utf8).replacing(/"user_([1-3])"/) { match in
            "\"user_01J0000000000000000000000\(match.1)\""
        }
        try text.write(toFile: first, atomically: true, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 3)
        for (database, source, target) in [(databases[0], first, second), (databases[1], second, third)] {
            try run("users", "import", source, "--roles", on: database.url).expect(0)
            try run("users", "export", target, on: database.url).expect(0)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == text)
        }
    }

    @Test("a file is for its owner alone, and replaced with --force only; - is standard output")
    func files() throws {
        try registry.add("1", email: "a@example.com")
        let path = registry.tool.folder.file("users.jsonl")
        #expect(try registry.run("users", "export", path).text == "exported 1 users\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        try registry.run("users", "export", path).expect(1, saying: "--force")
        try registry.run("users", "export", path, "--force").expect(0)
        let output = try registry.run("users", "export", "-")
        #expect(output.errorOutput == "exported 1 users\n")
        #expect(output.text == (try String(contentsOfFile: path, encoding: .utf8)))
        #expect(try JSONValue(parsing: output.text).object?["email"] == "a@example.com")
    }

    @Test("no secret is in it")
    func secrets() throws {
        try registry.add("1")
        let database = TestDatabase(url: registry.environment["DATABASE_URL"] ?? "")
        let secret = TestDatabase.isOnServer ? "'hunter2'::bytea" : "CAST('hunter2' AS BLOB)"
        try database.execute("UPDATE auth_accounts SET refresh_token = \(secret)")
        #expect(try !registry.run("users", "export", "-").everything.contains("hunter2"))
    }
}

@Suite("gatehouse users convert")
struct UsersConvertTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private static let firebase = """
        {"users": [
        {"localId": "u1", "email": "a@example.com", "emailVerified": true, "passwordHash": "x", "createdAt": "1704067200000"},
        {"localId": "u2", "email": "hunter2@example.com", "emailVerified": false, "passwordHash": "x"},
        {"localId": "u3", "providerUserInfo": [{"providerId": "google.com", "rawId": "7"}, {"providerId": "twitter.com", "rawId": "8"}]}
        ]}
        """

    @Test(
        "lines go to standard output and are imported; the summary tells who loses what, by reference only in the report"
    )
    func firebase() throws {
        let (file, report) = (
            try registry.tool.file("firebase.json", Self.firebase), registry.tool.folder.file("report")
        )
        let outcome = try registry.tool.run(["users", "convert", "firebase", file, "--report", report])
        #expect(outcome.status == 0 && outcome.text.split(separator: "\n").count == 2, "\(outcome.everything)")
        for part in [
            "converted 2 of 3 users", "1 have no way to sign in", "1 lose a way to sign in and keep another",
            "1: an account at twitter.com", "1: a password, and an email address that was never verified",
        ] {
            #expect(outcome.errorOutput.contains(part), "\(outcome.errorOutput)")
        }
        #expect(!outcome.errorOutput.contains("hunter2") && !outcome.errorOutput.contains("u2"))
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map(String.init)
        let results = try lines.map { try JSONValue(parsing: $0) }
        #expect(
            results == [
                ["ref": "u2", "result": "lost", "lost": ["password_without_verified_email"]],
                ["ref": "u3", "result": "kept_partly", "lost": ["provider twitter.com"]],
            ])
        let imported = try registry.tool.run(["users", "import", "-"], registry.environment, input: outcome.text)
        imported.expect(0, printing: "imported 2 users")
    }

    @Test("a file appears when it is complete, and a file of another form leaves none")
    func files() throws {
        let (good, bad) = (
            try registry.tool.file("good", Self.firebase), try registry.tool.file("bad", "{\"users\": [{")
        )
        let out = registry.tool.folder.file("out.jsonl")
        let failed = try registry.tool.run("users", "convert", "firebase", bad, "--out", out)
        failed.expect(1, saying: "the file ends early")
        #expect(!FileManager.default.fileExists(atPath: out))
        try registry.tool.run("users", "convert", "firebase", good, "--out", out).expect(0)
        try registry.tool.run("users", "convert", "firebase", good, "--out", out).expect(1)
        try registry.tool.run("users", "convert", "firebase", good, "--provider-name", "x").expect(2)
        try registry.tool.run("users", "convert", "firebase", registry.tool.folder.file("none")).expect(3)
    }

    @Test("the tables of Supabase are read from two files")
    func supabase() throws {
        let users = try registry.tool.file(
            "users.csv", "id,email,email_confirmed_at\nu1,a@example.com,2024-05-01 10:00:00+00\nu2,b@example.com,\n")
        let identities = try registry.tool.file(
            "identities.csv",
            "provider_id,user_id,identity_data,provider\n001.a,u1,\"{\"\"sub\"\": \"\"001.a\"\"}\",apple\nu2,u2,{},email\n"
        )
        let outcome = try registry.tool.run(
            "users", "convert", "supabase", "--users", users, "--identities", identities, "--json")
        outcome.expect(0, printing: "\"subject\":\"001.a\"")
        let json = try JSONValue(parsing: outcome.errorOutput).object
        #expect(json?["converted"] == 1 && json?["lost"] == 1)
        #expect(json?["reasons"] == ["password_without_verified_email": 1])
    }

    /// Users of one file have names that they have chosen themselves.
    @Test("a name of 4,000 hostile bytes adds no column, row or user, and stops nothing")
    func hostileNames() throws {
        let parts = [
            "\",,SUBJECT,", "\r\n", "\n", "\r", "\"", "\"\"", ",", "\\", "\\\"", "}]}",
            "{\"users\":[{\"localId\":\"evil\"}]}", "\0", "\u{1B}[2J",
            "\u{FEFF}", "\u{202E}", "e\u{301}\u{301}", "\u{1F468}\u{200D}\u{1F469}", "\u{2028}", "NULL", "\\N", "'",
            "; DROP",
            "\nu3,evil@example.com,2024-05-01 10:00:00+00", "\u{FFFD}", "%00", "\t",
        ]
        for name in parts + [parts.joined(), parts.reversed().joined(separator: "\"")] {
            let long = String(repeating: name, count: 4000 / name.utf8.count + 1)
            let escaped = JSONValue.string(long).description
            let json = try registry.tool.file(
                "hostile.json",
                "{\"users\":[{\"localId\":\"u1\",\"displayName\":\(escaped),\"phoneNumber\":\"+8613800138000\"},{\"localId\":\"u2\",\"phoneNumber\":\"+8613800138001\"}]}"
            )
            let quoted = { (text: String) in "\"" + text.replacing("\"", with: "\"\"") + "\"" }
            let users = try registry.tool.file(
                "users.csv",
                "id,email,email_confirmed_at,phone,phone_confirmed_at,raw_user_meta_data\nu1,,,8613800138000,2024-05-01 10:00:00+00,"
                    + quoted("{\"name\":\(escaped)}") + "\nu2,,,8613800138001,2024-05-01 10:00:00+00,\(quoted(long))\n")
            let identities = try registry.tool.file("identities.csv", "user_id,provider\n")
            for words in [["firebase", json], ["supabase", "--users", users, "--identities", identities]] {
                let outcome = try registry.tool.run(["users", "convert"] + words)
                outcome.expect(0)
                let lines = try outcome.text.split(separator: "\n").map { try JSONValue(parsing: String($0)).object }
                #expect(lines.map { $0?["ref"] } == ["u1", "u2"], "\(name.debugDescription)")
                #expect(lines.allSatisfy { $0?["identities"]?.array?.count == 1 })
                try registry.tool.run(
                    ["users", "import", "-", "--dry-run"], registry.environment, input: outcome.text
                ).expect(0, printing: "would import 2 users")
            }
        }
    }
}
