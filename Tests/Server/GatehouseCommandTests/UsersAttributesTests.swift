import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users attributes")
struct UsersAttributesTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
        try registry.add("1", email: "ada@example.com")
    }

    private func set(_ text: String, _ words: String...) throws -> Shell.Outcome {
        let settings = registry.environment.merging(["TOKEN_ATTRIBUTES": "plan", "ROLES": "EDITOR"]) { $1 }
        return try registry.tool.run(["users", "attributes", "user_1", "--set", "-"] + words, settings, input: text)
    }

    @Test("shows them with their version, and replaces the version that it is told")
    func versions() throws {
        #expect(try registry.run("users", "attributes", "ada@example.com").text == "version 0\n{}\n")
        let first = try set(" {\"x\": [1], \"plan\": \"pro\"} ", "--version", "0")
        #expect(first.status == 0 && first.text == "version 1\n{\"plan\":\"pro\",\"x\":[1]}\n")
        try set("{}", "--version", "0").expectRefusal(1, saying: "the attributes have version 1")
        #expect(try set("{\"plan\": \"free\"}").text.hasPrefix("version 2\n"))
        let json = try registry.json("users", "attributes", "user_1").object
        #expect(json?["attributes"] == ["plan": "free"] && json?["attributesVersion"] == 2)
        let trail = try registry.json("audit", "--user", "user_1").object?["events"]?.array ?? []
        let changes = trail.compactMap(\.object).filter { $0["kind"] == "attributes_changed" }
        #expect(
            changes.map { $0["detail"] } == ["plan x", "plan x"] && changes.allSatisfy { $0["actor"] == "operator" })
    }

    @Test("refuses what Gatehouse does not accept, and changes nothing")
    func refused() throws {
        for text in ["", "x", "[]", "{\"a\":1", "{\"a\":1,\"a\":2}", "{\"a-b\":1}", "{\"roles\":[\"ADMIN\"]}"] {
            try set(text).expectRefusal(1)
        }
        try set(String(repeating: " ", count: 70_000) + "{}").expectRefusal(1, saying: "one JSON object")
        try set("{}", "--version", "x").expectRefusal(2)
        try registry.run("users", "attributes", "user_1", "--version", "1").expectRefusal(2)
        try registry.run("users", "attributes", "user_1", "--set", "/nonexistent").expectRefusal(2)
        try registry.run("users", "attributes", "user_9").expectRefusal(1)
        #expect(try registry.run("users", "attributes", "user_1").text == "version 0\n{}\n")
        try registry.run("users", "delete", "--yes", "user_1").expect(0)
        try set("{}").expectRefusal(1, saying: "deleted")
    }

    @Test("an export has them, and an import restores them where the rules permit")
    func files() throws {
        _ = try set("{\"plan\": \"pro\", \"roles\": [\"EDITOR\"]}")
        let exported = try registry.run("users", "export", "-").text
        #expect(exported.contains(#""attributes":{"plan":"pro","roles":["EDITOR"]}"#))
        let other = try Registry()
        let line = exported.replacing("user_1", with: "user_01J00000000000000000000000")
        let settings = other.environment.merging(["ROLES": "EDITOR"]) { $1 }
        let refused = try other.tool.run(["users", "import", "-"], settings, input: line)
        #expect(refused.status == 1 && refused.errorOutput.contains("attributes.roles must be empty"))
        #expect(try other.tool.run(["users", "import", "-", "--roles"], settings, input: line).status == 0)
        let user = try #require(try other.store.user(UserID("user_01J00000000000000000000000")))
        #expect(user.attributes == Attributes(canonical: #"{"plan":"pro","roles":["EDITOR"]}"#))
    }
}
