import Foundation
import Gatehouse
import JSON
import StoreSupport
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
                    "id": "user_1", "email": "ada@example.com", "emailVerified": true, "phone": nil, "nickname": nil,
                    "avatarUrl": nil, "role": "USER", "status": "ACTIVE", "onboardingCompleted": false,
                    "providers": ["DEV"], "guest": false,
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
        _ = try registry.store.disable(UserID("user_2"), recording: AuditEntry(.userDisabled, at: Registry.noon))
        _ = try registry.store.delete(
            UserID("user_3"), queueing: nil, recording: AuditEntry(.userDeleted, at: Registry.noon))
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

@Suite("gatehouse users show")
struct UsersShowTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    @Test(
        "finds a user by id, and by an address in any case", arguments: ["user_1", "ADA@EXAMPLE.COM"])
    func found(_ name: String) throws {
        try registry.add("1", email: "Ada@Example.com", nickname: "Ada")
        try registry.add("2", email: "bob@example.com")
        let outcome = try registry.run("users", "show", name)
        #expect(outcome.status == 0)
        #expect(
            outcome.text == """
                id              user_1
                email           Ada@Example.com
                email verified  yes
                phone           -
                nickname        Ada
                avatar          -
                role            USER
                status          ACTIVE
                onboarded       no
                providers       APPLE
                guest           no
                created         2025-10-09T08:53:20.000Z
                updated         2025-10-09T08:53:20.000Z
                last login      2025-10-09T08:53:20.000Z
                by              APPLE

                """)
        #expect(try registry.json("users", "show", name).object?["id"] == "user_1")
    }

    @Test("lists the ids if several users have the address")
    func ambiguous() throws {
        try registry.add("1", email: "ada@example.com", provider: .dev, isVerified: false)
        try registry.add("2", after: 1, email: "ADA@example.com")
        let outcome = try registry.run("users", "show", "ada@example.com")
        outcome.expectRefusal(1)
        #expect(
            outcome.errorOutput == """
                gatehouse: 2 users have the address ada@example.com; use the id of the user:
                ID      VERIFIED  PROVIDERS  CREATED
                user_1  no        DEV        2025-10-09T08:53:20.000Z
                user_2  yes       APPLE      2025-10-09T08:53:21.000Z

                """)
        try registry.run("users", "show", "user_2").expect(0)
    }

    @Test("finds a user by the address of an account, but not by a similar one")
    func addresses() throws {
        let user = try registry.add("1", email: "first@example.com")
        let second = Identity(provider: .dev, subject: "d", email: "second@example.com", emailVerified: true)
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: Registry.noon, grace: .zero, expiresAt: Registry.farFuture)
        let outcome = try registry.store.link(
            second, to: user.id, redeeming: redemption, queueing: nil,
            recording: AuditEntry(.accountLinked, at: Registry.noon, userID: user.id))
        #expect(outcome == .linked)
        for name in ["first@example.com", "Second@example.com"] {
            #expect(try registry.json("users", "show", name).object?["id"] == "user_1")
        }
        for name in ["first@example.co", "%@example.com", "", "USER_1"] {
            let outcome = try registry.run("users", "show", name)
            #expect(outcome.status == 1 && outcome.text.isEmpty, "\(name)")
            #expect(outcome.errorOutput == "gatehouse: no user has the id or address \(name)\n")
        }
    }

    @Test(
        "does not find a user by an unverified address, and names the id instead",
        arguments: [["users", "disable"], ["users", "delete", "--yes"], ["sessions", "revoke", "--user"]])
    func unverified(_ words: [String]) throws {
        try registry.add("1", email: "ada@example.com", isVerified: false)
        let outcome = try registry.run(words + ["ada@example.com"])
        outcome.expectRefusal(1)
        #expect(
            outcome.errorOutput == """
                gatehouse: no provider has verified the address ada@example.com of this user; use the id of the user:
                ID      VERIFIED  PROVIDERS  CREATED
                user_1  no        APPLE      2025-10-09T08:53:20.000Z

                """)
        #expect(try registry.store.user(UserID("user_1"))?.status == .active)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt == nil)
        #expect(try registry.json("users", "show", "user_1").object?["emailVerified"] == false)
    }

    @Test("finds a deleted user only by the id, without personal data")
    func deleted() throws {
        try registry.add("1", email: "ada@example.com", nickname: "Ada")
        try registry.run("users", "delete", "--yes", "ada@example.com").expect(0)
        try registry.run("users", "show", "ada@example.com").expect(1)
        let shown = try registry.run("users", "show", "user_1")
        #expect(shown.text.contains("DELETED") && !shown.text.contains("Ada") && !shown.text.contains("ada@"))
        let json = try registry.json("users", "show", "user_1").object
        #expect(json?["status"] == "DELETED")
        for name in ["email", "nickname", "avatarUrl", "lastLoginAt", "lastLoginProvider"] {
            #expect(json?[name] == .null)
        }
        #expect(json?["providers"] == [])
    }

    @Test("a name cannot write control characters to the terminal")
    func escapes() throws {
        // PostgreSQL stores no zero byte.
        let zero = TestDatabase.isOnServer ? "" : "\u{0}"
        let name = "\u{1B}[2J\u{9B}31mroot\r\n\u{7}user_0\u{7F}\u{202E}\u{2066}\u{2028}\t\(zero)e\u{301} 测试"
        try registry.add("1", email: "\u{1B}]0;owned\u{7}@example.com", nickname: name)
        for words in [["users", "list"], ["users", "show", "user_1"], ["users", "list", "--json"]] {
            let outcome = try registry.run(words)
            #expect(outcome.status == 0)
            for scalar in outcome.text.unicodeScalars where scalar != "\n" {
                #expect(scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl)
            }
            #expect(!outcome.text.contains("\u{2028}") && outcome.text.contains("e\u{301} 测试"))
        }
        #expect(try registry.run("users", "list").text.split(separator: "\n").count == 2)
        #expect(try registry.run("users", "show", "user_1").text.contains("\\u{1b}[2J\\u{9b}31mroot\\u{d}\\u{a}"))
        let told = try registry.json("users", "show", "user_1").object?["nickname"]?.string
        #expect(told.map { Array($0.utf8) } == Array(name.utf8), "a script gets it as it is")
        let asked = try registry.run("users", "show", "\u{1B}[31m")
        #expect(asked.errorOutput == "gatehouse: no user has the id or address \\u{1b}[31m\n")
    }
}
