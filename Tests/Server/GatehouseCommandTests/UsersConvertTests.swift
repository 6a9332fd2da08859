import Foundation
import JSON
import TestSupport
import Testing

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
        #expect(imported.status == 0 && imported.text.contains("imported 2 users"), "\(imported.everything)")
    }

    @Test("a file appears when it is complete, and a file of another form leaves none")
    func files() throws {
        let (good, bad) = (
            try registry.tool.file("good", Self.firebase), try registry.tool.file("bad", "{\"users\": [{")
        )
        let out = registry.tool.folder.file("out.jsonl")
        let failed = try registry.tool.run("users", "convert", "firebase", bad, "--out", out)
        #expect(failed.status == 1 && failed.errorOutput.contains("the file ends early"), "\(failed.everything)")
        #expect(!FileManager.default.fileExists(atPath: out))
        #expect(try registry.tool.run("users", "convert", "firebase", good, "--out", out).status == 0)
        #expect(try registry.tool.run("users", "convert", "firebase", good, "--out", out).status == 1)
        #expect(try registry.tool.run("users", "convert", "firebase", good, "--provider-name", "x").status == 2)
        #expect(try registry.tool.run("users", "convert", "firebase", registry.tool.folder.file("none")).status == 3)
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
        #expect(outcome.status == 0 && outcome.text.contains("\"subject\":\"001.a\""), "\(outcome.everything)")
        let json = try JSONValue(parsing: outcome.errorOutput).object
        #expect(json?["converted"] == 1 && json?["lost"] == 1)
        #expect(json?["reasons"] == ["password_without_verified_email": 1])
    }
}
