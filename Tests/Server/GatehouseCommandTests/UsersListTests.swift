import Gatehouse
import JSON
import TestSupport
import Testing

@Suite("gatehouse users list")
struct UsersListTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private func ids(_ words: String...) throws -> [String] {
        let outcome = try registry.run(["users", "list"] + words)
        #expect(outcome.status == 0)
        return outcome.text.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != " " }) }
    }

    @Test("prints the newest first in columns, whatever the names")
    func table() throws {
        try registry.add("1", email: "ada@example.com", nickname: "Ada")
        try registry.add("2", after: 1, email: "测试@example.com", nickname: "测试用户", provider: .dev, role: .superAdmin)
        try registry.add("3", after: 2)
        let outcome = try registry.run("users", "list")
        #expect(outcome.errorOutput.isEmpty)
        #expect(
            outcome.text == """
                ID      ROLE         STATUS  PROVIDERS  CREATED                   LAST LOGIN                EMAIL             NICKNAME
                user_3  USER         ACTIVE  APPLE      2025-10-09T08:53:22.000Z  2025-10-09T08:53:22.000Z  -                 -
                user_2  SUPER_ADMIN  ACTIVE  DEV        2025-10-09T08:53:21.000Z  2025-10-09T08:53:21.000Z  测试@example.com  测试用户
                user_1  USER         ACTIVE  APPLE      2025-10-09T08:53:20.000Z  2025-10-09T08:53:20.000Z  ada@example.com   Ada

                """)
    }

    @Test("--json prints every field, with null for missing values")
    func json() throws {
        try registry.add("1", email: "ada@example.com", provider: .dev)
        let expected: JSONValue = [
            "users": [
                [
                    "id": "user_1", "email": "ada@example.com", "emailVerified": true, "phone": nil,
                    "nickname": nil,
                    "avatarUrl": nil, "role": "USER",
                    "status": "ACTIVE", "onboardingCompleted": false, "providers": ["DEV"],
                    "createdAt": "2025-10-09T08:53:20.000Z", "updatedAt": "2025-10-09T08:53:20.000Z",
                    "lastLoginAt": "2025-10-09T08:53:20.000Z", "lastLoginProvider": "DEV",
                ]
            ], "next": nil,
        ]
        #expect(try registry.json("users", "list") == expected)
    }

    @Test("filters by status and role in any case, and omits deleted users by default")
    func filters() throws {
        for name in ["1", "2", "3", "4"] { try registry.add(name, role: name == "4" ? .admin : .user) }
        _ = try registry.store.disable(UserID("user_2"), recording: AuditEvent(.userDisabled, at: Registry.noon))
        _ = try registry.store.delete(
            UserID("user_3"), queueing: nil, recording: AuditEvent(.userDeleted, at: Registry.noon))
        #expect(try ids() == ["user_4", "user_2", "user_1"])
        #expect(try ids("--status", "disabled") == ["user_2"])
        #expect(try ids("--status=DELETED") == ["user_3"])
        #expect(try ids("--status", "Active") == ["user_4", "user_1"])
        #expect(try ids("--role", "admin") == ["user_4"])
        #expect(try ids("--role", "USER", "--status", "ACTIVE") == ["user_1"])
        #expect(try ids("--role", "SUPER_ADMIN") == [])
    }

    @Test("prints the command for the next page, and every user is on one page")
    func pages() throws {
        for name in ["1", "2", "3", "4", "5"] { try registry.add(name) }
        let first = try registry.run("users", "list", "--role", "user", "--limit", "2")
        #expect(first.text.contains("user_5 ") && first.text.contains("user_4 ") && !first.text.contains("user_3 "))
        #expect(first.errorOutput == "Next page: gatehouse users list --role user --limit 2 --before user_4\n")
        #expect(try ids("--limit", "2", "--before", "user_4") == ["user_3", "user_2"])
        let last = try registry.run("users", "list", "--limit", "1", "--before", "user_2")
        #expect(last.text.contains("user_1 ") && last.errorOutput.isEmpty, "no page follows the last user")
        #expect(try registry.json("users", "list", "--limit", "4").object?["next"] == "user_2")
        #expect(try registry.json("users", "list", "--limit", "5").object?["next"] == .null)
    }

    @Test("prints 50 users without --limit")
    func fifty() throws {
        for number in 100..<151 { try registry.add("\(number)") }
        #expect(try ids().count == 50)
        #expect(try registry.json("users", "list").object?["next"] == "user_101")
    }
}
