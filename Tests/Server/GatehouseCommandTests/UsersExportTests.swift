import Foundation
import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

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
        #expect(try registry.run("users", "disable", "user_3").status == 0)
        try registry.add("4", after: 3)
        #expect(try registry.run("users", "delete", "user_4", "--yes").status == 0)
        // Ids of the tests are not those of Gatehouse: the first round gives them ids that are kept.
        let folder = registry.tool.folder
        let databases = try (1...2).map { try TestDatabase(file: folder.file("copy\($0).db")) }
        for database in databases { _ = try database.store() }
        let (first, second, third) = (folder.file("1.jsonl"), folder.file("2.jsonl"), folder.file("3.jsonl"))
        #expect(try registry.run("users", "export", first).status == 0)
        let text = try String(contentsOfFile: first, encoding: .utf8).replacing(/"user_([1-3])"/) { match in
            "\"user_01J0000000000000000000000\(match.1)\""
        }
        try text.write(toFile: first, atomically: true, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 3)
        for (database, source, target) in [(databases[0], first, second), (databases[1], second, third)] {
            let imported = try run("users", "import", source, "--roles", on: database.url)
            #expect(imported.status == 0, "\(imported.everything)")
            #expect(try run("users", "export", target, on: database.url).status == 0)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == text)
        }
    }

    @Test("a file is for its owner alone, and replaced with --force only; - is standard output")
    func files() throws {
        try registry.add("1", email: "a@example.com")
        let path = registry.tool.folder.file("users.jsonl")
        #expect(try registry.run("users", "export", path).text == "exported 1 users\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let again = try registry.run("users", "export", path)
        #expect(again.status == 1 && again.errorOutput.contains("--force"))
        #expect(try registry.run("users", "export", path, "--force").status == 0)
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
