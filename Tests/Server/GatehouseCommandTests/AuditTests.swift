import FileSystem
import Foundation
import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse audit")
struct AuditTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    private func kinds(_ words: String...) throws -> [String] {
        let outcome = try registry.run(["audit"] + words + ["--json"])
        #expect(outcome.status == 0)
        let events = try JSONValue(parsing: outcome.output).object?["events"]?.array ?? []
        return events.map { $0.object?["kind"]?.string ?? "" }
    }

    private func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    @Test("prints events in columns, ordered by time, even if they were written later")
    func table() throws {
        try registry.add("1", device: Device(userAgent: "App/1", address: "192.0.2.1"))
        var role = AuditEntry(.roleChanged, at: Registry.noon + .seconds(2), by: .operator, userID: UserID("user_1"))
        role.detail = "ADMIN"
        role.operatorName = "root (0), sudo by anna"
        let refused = AuditEntry(
            .loginRefused, at: Registry.noon + .seconds(1), provider: .apple,
            device: Device(userAgent: "x", address: "192.0.2.9\u{1B}[0m"), detail: "nonce", count: 12)
        try registry.store.record([role, refused])
        let outcome = try registry.run("audit")
        #expect(outcome.status == 0)
        #expect(
            outcome.text == """
                MOMENT                    KIND           ACTOR     USER    SESSION  PROVIDER  ADDRESS             DETAIL  COUNT  OPERATOR
                2025-10-09T08:53:20.000Z  login          user      user_1  sess_1   APPLE     192.0.2.1           -       ×1     -
                2025-10-09T08:53:21.000Z  login_refused  user      -       -        APPLE     192.0.2.9\\u{1b}[0m  nonce   ×12    -
                2025-10-09T08:53:22.000Z  role_changed   operator  user_1  -        -         -                   ADMIN   ×1     root (0), sudo by anna

                """)
    }

    @Test("--json prints the same, with null for missing values")
    func json() throws {
        try registry.add("1", device: Device(userAgent: "App/1", address: nil))
        let expected: JSONValue = [
            [
                "moment": "2025-10-09T08:53:20.000Z", "kind": "login", "actor": "user", "userId": "user_1",
                "sessionId": "sess_1", "provider": "APPLE", "address": nil, "device": "App/1", "detail": nil,
                "count": 1, "operator": nil,
            ]
        ]
        #expect(try registry.json("audit") == ["events": expected])
    }

    @Test("only events of operators name an operator", .enabled(if: !TestDatabase.isOnServer, "restores a backup"))
    func operatorNames() throws {
        try registry.add("1")
        let backup = registry.tool.folder.file("backup.db")
        try registry.run("backup", backup).expect(0)
        for (words, sudo) in [
            (["users", "disable", "user_1"], "anna"), (["sessions", "revoke", "sess_1"], "x\ny (0)"),
        ] {
            _ = try registry.tool.run(words, registry.environment.merging(["SUDO_USER": sudo]) { $1 })
        }
        let named = try #require(try registry.json("audit").object?["events"]?.array).map { $0.object?["operator"] }
        #expect(named.count == 2 && named[0] == .null, "a login has none")
        let text = try #require(named[1]?.string)
        #expect(text.contains("(\(getuid()))") && text.hasSuffix(", sudo by anna"), "\(text)")
        let other = registry.tool.folder.file("other.db")
        let environment = ["DATABASE_URL": "sqlite:" + other, "SUDO_USER": "anna"]
        try registry.tool.run(["restore", "--end-sessions", backup], environment).expect(0)
        let trail = try JSONValue(parsing: registry.tool.run(["audit", "--json"], environment).output)
        let restored = trail.object?["events"]?.array ?? []
        let kinds = ["database_restored", "sessions_revoked"]
        #expect(restored.suffix(2).map { $0.object?["kind"]?.string } == kinds)
        for event in restored.suffix(2) { #expect(event.object?["operator"] == .string(text)) }
    }

    @Test("filters by user, kind and time, and prints the latest --limit events")
    func filters() throws {
        try registry.add("1", email: "ada@example.com")
        try registry.add("2", after: 1)
        let ages = [90_000, 7200, 1800, 10]
        try registry.store.record(ages.map { AuditEntry(.logout, at: now() - .seconds($0), userID: UserID("user_2")) })
        #expect(try kinds() == ["login", "login", "logout", "logout", "logout", "logout"])
        #expect(try kinds("--user", "Ada@example.com") == ["login"])
        #expect(try kinds("--kind", "LOGIN").count == 2)
        #expect(try kinds("--user", "user_2", "--kind", "logout").count == 4)
        for (since, count) in [("1d", 3), ("3h", 3), ("1h", 2), ("60s", 1), ("0s", 0)] {
            #expect(try kinds("--since", since).count == count, "\(since)")
        }
        let midnight = now().description.prefix(10)
        for (since, count) in [("2025-10-09T08:53:20Z", 6), ("2025-10-09T08:53:20.001Z", 5), ("2025-10-10", 4)] {
            #expect(try kinds("--since", since).count == count, "\(since)")
        }
        #expect(try kinds("--since", "\(midnight)") == kinds("--since", "\(midnight)T00:00:00Z"))
        #expect(try kinds("--limit", "5") == ["login", "logout", "logout", "logout", "logout"])
        try registry.run("audit", "--user", "user_3").expect(1)
    }

    @Test("prints 100 events without --limit")
    func hundred() throws {
        try registry.store.record((0..<101).map { AuditEntry(.logout, at: Registry.noon + .seconds($0)) })
        let all = try #require(try registry.json("audit").object?["events"]?.array)
        #expect(all.count == 100 && all[0].object?["moment"] == "2025-10-09T08:53:21.000Z")
    }
}

@Suite("The name of an operator in the audit trail")
struct OperatorNameTests {
    private static let root = Account(name: "root", id: 0, groups: [])
    private static let anna = Account(name: "anna", id: 1000, groups: [])

    private func text(_ caller: Account, login: Account? = nil, sudo: String? = nil) -> String {
        OperatorName(caller: caller, login: login, sudoUser: sudo).text
    }

    @Test("is the user, the login if it differs, and the user of sudo")
    func parts() {
        #expect(text(Self.root) == "root (0)" && text(Self.root, login: Self.root) == "root (0)")
        #expect(text(Self.root, login: Self.anna) == "root (0), login anna (1000)")
        #expect(text(Self.root, login: Self.anna, sudo: "anna") == "root (0), login anna (1000), sudo by anna")
        #expect(text(Self.anna, sudo: "bob@EXAMPLE") == "anna (1000), sudo by bob@EXAMPLE")
        #expect(text(Account(name: "1234", id: 1234, groups: [])) == "1234 (1234)")
    }

    @Test(
        "holds only valid names, since the caller can set the environment",
        arguments: [
            "", "a b", "a\nb", "root (0), sudo by bob", "ann\u{1B}[0m", "änna", "a,b",
            String(repeating: "a", count: 65),
        ])
    func claims(name: String) {
        #expect(text(Self.root, sudo: name) == "root (0)" && text(Account(name: name, id: 7, groups: [])) == "7")
    }
}
