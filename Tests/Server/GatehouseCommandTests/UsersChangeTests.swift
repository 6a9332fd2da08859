import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users disable, enable, role and delete")
struct UsersChangeTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
        try registry.add("1", email: "ada@example.com")
        try registry.add("2", email: "bob@example.com")
    }

    private func status(_ id: String) throws -> JSONValue? { try registry.json("users", "show", id).object?["status"] }

    @Test("make their change once, audit it, and report if there was nothing to change")
    func once() throws {
        let steps = [
            (["disable"], "DISABLED"), (["enable"], "ACTIVE"), (["role", "ADMIN"], "ADMIN"),
            (["role", "super_admin"], "SUPER_ADMIN"), (["role", "User"], "USER"), (["delete", "--yes"], "DELETED"),
        ]
        for (words, goal) in steps {
            let command = ["users", words[0], "user_1"] + words.dropFirst()
            // On a terminal, --yes leaves the question out.
            let first = try registry.run(command, answering: "no")
            #expect(first.status == 0 && first.text == "user_1 is now \(goal)\n" && first.errorOutput.isEmpty)
            let second = try registry.run(command)
            #expect(second.status == 0 && second.text == "user_1 is already \(goal)\n" && second.errorOutput.isEmpty)
        }
        #expect(try status("user_2") == "ACTIVE", "another user is unchanged")
        let trail = try registry.json("audit", "--user", "user_1").object?["events"]?.array
        let events = trail?.compactMap(\.object) ?? []
        let changes = ["user_disabled", "user_enabled", "role_changed", "role_changed", "role_changed", "user_deleted"]
        #expect(events.compactMap { $0["kind"]?.string } == ["login"] + changes, "one for each, also of the deleted")
        #expect(events.dropFirst().allSatisfy { $0["actor"] == "operator" })
    }

    @Test("--json prints whether the user was changed, and the user")
    func json() throws {
        for changed in [true, false] {
            let json = try registry.json("users", "disable", "ADA@example.com").object
            #expect(json?["changed"] == .bool(changed) && json?["user"]?.object?["status"] == "DISABLED")
            #expect(json?["user"]?.object?["id"] == "user_1")
        }
    }

    @Test("do not change a deleted user, nor ask whether to delete one")
    func deleted() throws {
        try registry.run("users", "delete", "--yes", "user_1").expect(0)
        for words in [["disable"], ["enable"], ["role", "USER"], ["role", "ADMIN"]] {
            let outcome = try registry.run(["users", words[0], "user_1"] + words.dropFirst())
            outcome.expectRefusal(1)
            #expect(outcome.errorOutput == "gatehouse: user_1 is DELETED\n")
        }
        let again = try registry.run(["users", "delete", "user_1"], answering: "no")
        #expect(again.text == "user_1 is already DELETED\n" && again.errorOutput.isEmpty)
    }

    @Test("end the sessions of disabled and deleted users, and no others")
    func sessions() throws {
        try registry.run("users", "role", "user_1", "ADMIN").expect(0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt == nil)
        try registry.run("users", "disable", "user_1").expect(0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokeReason == .userDisabled)
        try registry.run("users", "enable", "user_1").expect(0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt != nil)
        try registry.run("users", "delete", "--yes", "user_1").expect(0)
        #expect(try registry.store.session(SessionID("sess_1")) == nil)
        #expect(try registry.store.session(SessionID("sess_2"))?.session.revokedAt == nil)
    }

    @Test("delete asks on a terminal, and accepts only yes")
    func confirmation() throws {
        for answer in ["no", "", "y", "yes please", "\u{4}"] {
            let outcome = try registry.run(["users", "delete", "user_1"], answering: answer)
            #expect(outcome.status == 1 && outcome.text.isEmpty, "\(answer)")
            #expect(outcome.errorOutput.contains("ada@example.com"))
            #expect(outcome.errorOutput.hasSuffix("gatehouse: nothing was deleted\n"))
        }
        #expect(try status("user_1") == "ACTIVE")
        #expect(try registry.run(["users", "delete", "user_1"], answering: "yes").text == "user_1 is now DELETED\n")
    }

    @Test("delete requires --yes without a terminal")
    func unattended() throws {
        let outcome = try registry.tool.run(["users", "delete", "user_2"], registry.environment, input: "yes\n")
        outcome.expectRefusal(2)
        #expect(outcome.errorOutput.contains("without a terminal, confirm it with --yes"), "\(outcome.errorOutput)")
        #expect(try status("user_2") == "ACTIVE")
        #expect(try registry.run("users", "delete", "user_2", "--yes").text == "user_2 is now DELETED\n")
    }
}

@Suite("gatehouse users unlink")
struct UsersUnlinkTests {
    private let registry: Registry
    private let number = "+8613800138000"

    init() throws {
        registry = try Registry()
        let user = try registry.add("1", email: "ada@example.com")
        let event = AuditEntry(.accountLinked, at: Registry.noon, userID: user.id, provider: .phone)
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: Registry.noon, grace: .zero, expiresAt: Registry.farFuture)
        let identity = Identity(provider: .phone, subject: number, email: nil)
        let link = try registry.store.link(
            identity, to: user.id, redeeming: redemption, queueing: nil, recording: event)
        #expect(link == .linked)
    }

    @Test("finds a user by the phone number, and removes it once; the other session goes on")
    func phone() throws {
        #expect(try registry.json("users", "show", number).object?["phone"] == .string(number))
        let first = try registry.run("users", "unlink", number, "phone")
        #expect(first.status == 0 && first.text == "user_1 cannot sign in with PHONE any more\n", "\(first.everything)")
        let second = try registry.run("users", "unlink", "user_1", "PHONE")
        #expect(second.status == 0 && second.text == "user_1 has no account of PHONE\n")
        #expect(try registry.json("users", "show", "user_1").object?["phone"] == .null)
        try registry.run("users", "show", number).expect(1)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt == nil)
        let events = try registry.store.auditEvents(of: UserID("user_1")).filter { $0.kind == .accountUnlinked }
        #expect(events.map(\.actor) == [.operator] && events.map(\.provider) == [.phone])
    }

    @Test("ends the sessions that the account opened")
    func sessions() throws {
        #expect(try registry.json("users", "unlink", "user_1", "apple") == ["changed": true])
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokeReason == .accountUnlinked)
    }

    @Test("keeps the only way to sign in, and refuses what is not the name of a provider")
    func refused() throws {
        try registry.run("users", "unlink", "user_1", "phone").expect(0)
        try registry.run("users", "unlink", "user_1", "apple").expect(1, saying: "the only way")
        try registry.run("users", "unlink", "user_1", "a b").expect(2)
        try registry.run("users", "unlink", "user_9", "phone").expect(1)
    }
}
