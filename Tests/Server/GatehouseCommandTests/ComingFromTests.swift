import Foundation
import JSON
import TestSupport
import Testing

/// The programs for jq on the page Coming from Firebase, Supabase, Clerk or Auth0, on users in the form of each service.
@Suite("Coming from Clerk and Auth0")
struct ComingFromTests {
    private static let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/ComingFrom.md")

    private static let clerk = """
        [{"id": "1", "first_name": "Ada", "last_name": null, "banned": false, "created_at": 1748867249543,
          "email_addresses": [{"email_address": "ada@example.com",
            "verification": {"status": "verified", "strategy": "from_oauth_google"}}], "phone_numbers": [],
          "external_accounts": [{"provider": "oauth_google", "provider_user_id": "106512345678901234567"},
            {"provider": "oauth_github", "provider_user_id": "1"}]},
         {"id": "2", "first_name": null, "last_name": null, "banned": true, "created_at": 1748868249543,
          "email_addresses": [{"email_address": "bob@example.com",
            "verification": {"status": "verified", "strategy": "email_code"}}],
          "phone_numbers": [{"phone_number": "+447400123456", "verification": {"status": "verified"}}],
          "external_accounts": []},
         {"id": "3", "first_name": "Eve", "last_name": "E", "banned": false, "created_at": 1748867249543,
          "email_addresses": [{"email_address": "eve@example.com",
            "verification": {"status": "unverified", "strategy": "email_code"}}],
          "phone_numbers": [], "external_accounts": []}]
        """

    private static let auth0 = """
        {"user_id": "1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
         "created_at": "2024-05-01T10:00:00.000Z", "last_login": "2024-06-01T10:00:00.000Z",
         "identities": [{"provider": "google-oauth2", "user_id": "106512345678901234567"}]}
        {"user_id": "2", "email": "bob@example.com", "email_verified": true, "name": "Bob", "blocked": true,
         "created_at": "2024-05-02T10:00:00.000Z", "phone_number": "+447400123456", "phone_verified": true,
         "identities": [{"provider": "auth0", "user_id": "2"}]}
        {"user_id": "3", "email": "eve@example.com", "email_verified": false, "name": "Eve",
         "created_at": "2024-05-01T10:00:00.000Z", "identities": [{"provider": "auth0", "user_id": "3"}]}
        """

    @Test("users keep what they have proven, and one without such a way is a fault", arguments: ["Clerk", "Auth0"])
    func imported(service: String) throws {
        let tool = try Tool()
        let program = try tool.file("program.jq", Self.page.blocks(of: service, "jq")[0])
        let users = try tool.file("users.json", service == "Clerk" ? Self.clerk : Self.auth0)
        let lines = String(decoding: try Shell.run(["/usr/bin/jq", "-c", "-f", program, users]), as: UTF8.self)
        let settings = tool.settings()
        try tool.run(["migrate"], settings).expect(0)
        let outcome = try tool.run(["users", "import", tool.file("users.jsonl", lines)], settings)
        outcome.expect(1, printing: "imported 2 users", "1 lines have faults")
        let export = try tool.run(["users", "export", "-"], settings).text.split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8)).object ?? [:]
        }
        let ways = export.map { user in
            (user["identities"]?.array ?? []).compactMap { $0.object?["provider"]?.string }.sorted()
        }
        #expect(ways == [["google"], ["email", "phone"]], "\(export)")
        #expect(export.map { $0["status"]?.string } == ["ACTIVE", "DISABLED"])
        #expect(export[0]["email"] == "ada@example.com" && export[0]["nickname"] == "Ada")
    }
}
