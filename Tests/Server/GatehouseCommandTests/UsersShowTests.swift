import Foundation
import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users show")
struct UsersShowTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    @Test(
        "finds a user by id, and by an address in any case",
        arguments: ["user_1", "Ada@Example.com", "ada@example.com", "ADA@EXAMPLE.COM"])
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
                created         2025-10-09T08:53:20.000Z
                updated         2025-10-09T08:53:20.000Z
                last login      2025-10-09T08:53:20.000Z
                by              APPLE

                """)
        #expect(try registry.json("users", "show", name).object?["id"] == "user_1")
    }

    @Test("finds a lower-case address with letters beyond A to Z in any case")
    func otherLetters() throws {
        try registry.add("1", email: "émile@example.com")
        #expect(try registry.json("users", "show", "Émile@Example.com").object?["id"] == "user_1")
    }

    @Test("lists the ids if several users have the address")
    func ambiguous() throws {
        try registry.add("1", email: "ada@example.com", provider: .dev, isVerified: false)
        try registry.add("2", after: 1, email: "ADA@example.com")
        let outcome = try registry.run("users", "show", "ada@example.com")
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
        #expect(
            outcome.errorOutput == """
                gatehouse: 2 users have the address ada@example.com; use the id of the user:
                ID      VERIFIED  PROVIDERS  CREATED
                user_1  no        DEV        2025-10-09T08:53:20.000Z
                user_2  yes       APPLE      2025-10-09T08:53:21.000Z

                """)
        #expect(try registry.run("users", "show", "user_2").status == 0)
    }

    @Test("finds a user by the address of an account, but not by a similar one")
    func addresses() throws {
        let user = try registry.add("1", email: "first@example.com")
        let second = Identity(provider: .dev, subject: "d", email: "second@example.com", emailVerified: true)
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: Registry.noon, grace: .zero, expiresAt: Registry.farFuture)
        let outcome = try registry.store.link(
            second, to: user.id, redeeming: redemption, queueing: nil,
            recording: AuditEvent(.accountLinked, at: Registry.noon, userID: user.id))
        #expect(outcome == .linked)
        for name in ["first@example.com", "Second@example.com"] {
            #expect(try registry.json("users", "show", name).object?["id"] == "user_1")
        }
        for name in ["first", "first@example.co", "%@example.com", "_irst@example.com", "", "USER_1", "' OR 1=1 --"] {
            let outcome = try registry.run("users", "show", name)
            #expect(outcome.status == 1, "\(name)")
            #expect(outcome.text.isEmpty)
            #expect(outcome.errorOutput == "gatehouse: no user has the id or address \(name)\n")
        }
    }

    @Test(
        "does not find a user by an unverified address, and names the id instead",
        arguments: [
            ["users", "show"], ["users", "disable"], ["users", "enable"], ["users", "delete", "--yes"],
            ["users", "sessions"], ["sessions", "revoke", "--user"],
        ])
    func unverified(_ words: [String]) throws {
        try registry.add("1", email: "ada@example.com", isVerified: false)
        let outcome = try registry.run(words + ["ada@example.com"])
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
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
        #expect(try registry.run("users", "delete", "--yes", "ada@example.com").status == 0)
        #expect(try registry.run("users", "show", "ada@example.com").status == 1)
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
            #expect(!outcome.text.contains("\u{2028}"))
            #expect(outcome.text.contains("e\u{301} 测试"))
        }
        #expect(try registry.run("users", "list").text.split(separator: "\n").count == 2)
        #expect(try registry.run("users", "show", "user_1").text.contains("\\u{1b}[2J\\u{9b}31mroot\\u{d}\\u{a}"))
        let told = try registry.json("users", "show", "user_1").object?["nickname"]?.string
        #expect(told.map { Array($0.utf8) } == Array(name.utf8), "a script gets it as it is")
        let asked = try registry.run("users", "show", "\u{1B}[31m")
        #expect(asked.errorOutput == "gatehouse: no user has the id or address \\u{1b}[31m\n")
    }
}
