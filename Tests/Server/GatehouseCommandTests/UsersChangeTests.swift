import Gatehouse
import JSON
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

    @Test("make their change once, and report if there was nothing to change")
    func once() throws {
        let steps = [
            (["disable"], "DISABLED"), (["enable"], "ACTIVE"), (["role", "ADMIN"], "ADMIN"),
            (["role", "super_admin"], "SUPER_ADMIN"), (["role", "User"], "USER"), (["delete", "--yes"], "DELETED"),
        ]
        for (words, goal) in steps {
            let command = ["users", words[0], "user_1"] + words.dropFirst()
            let first = try registry.run(command)
            #expect(first.status == 0)
            #expect(first.text == "user_1 is now \(goal)\n")
            let second = try registry.run(command)
            #expect(second.status == 0)
            #expect(second.text == "user_1 is already \(goal)\n")
            #expect(second.errorOutput.isEmpty)
        }
        #expect(try status("user_2") == "ACTIVE", "another user is unchanged")
    }

    @Test("--json prints whether the user was changed, and the user")
    func json() throws {
        for changed in [true, false] {
            let json = try registry.json("users", "disable", "ADA@example.com").object
            #expect(json?["changed"] == .bool(changed))
            #expect(json?["user"]?.object?["status"] == "DISABLED")
            #expect(json?["user"]?.object?["id"] == "user_1")
        }
    }

    @Test("do not change a deleted user", arguments: [["disable"], ["enable"], ["role", "USER"], ["role", "ADMIN"]])
    func deleted(_ words: [String]) throws {
        #expect(try registry.run("users", "delete", "--yes", "user_1").status == 0)
        let outcome = try registry.run(["users", words[0], "user_1"] + words.dropFirst())
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
        #expect(outcome.errorOutput == "gatehouse: user_1 is DELETED\n")
    }

    @Test("end the sessions of disabled and deleted users, and no others")
    func sessions() throws {
        #expect(try registry.run("users", "role", "user_1", "ADMIN").status == 0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt == nil)
        #expect(try registry.run("users", "disable", "user_1").status == 0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokeReason == .userDisabled)
        #expect(try registry.run("users", "enable", "user_1").status == 0)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokedAt != nil)
        #expect(try registry.run("users", "delete", "--yes", "user_1").status == 0)
        #expect(try registry.store.session(SessionID("sess_1")) == nil)
        #expect(try registry.store.session(SessionID("sess_2"))?.session.revokedAt == nil)
    }

    @Test("delete asks on a terminal, and accepts only yes")
    func confirmation() throws {
        for answer in ["no", "", "y", "yes please", "\u{4}"] {
            let outcome = try registry.run(["users", "delete", "user_1"], answering: answer)
            #expect(outcome.status == 1, "\(answer)")
            #expect(outcome.text.isEmpty)
            #expect(outcome.errorOutput.contains("ada@example.com"))
            #expect(outcome.errorOutput.hasSuffix("gatehouse: nothing was deleted\n"))
        }
        #expect(try status("user_1") == "ACTIVE")
        #expect(try registry.run(["users", "delete", "user_1"], answering: "yes").text == "user_1 is now DELETED\n")
    }

    @Test("delete does not ask with --yes, or if the user is deleted already")
    func noQuestion() throws {
        let told = try registry.run(["users", "delete", "--yes", "user_1"], answering: "no")
        #expect(told.text == "user_1 is now DELETED\n" && told.errorOutput.isEmpty)
        let again = try registry.run(["users", "delete", "user_1"], answering: "no")
        #expect(again.text == "user_1 is already DELETED\n" && again.errorOutput.isEmpty)
    }

    @Test("delete requires --yes without a terminal", arguments: ["", "yes\n"])
    func unattended(_ input: String) throws {
        let outcome = try registry.tool.run(["users", "delete", "user_2"], registry.environment, input: input)
        #expect(outcome.status == 2 && outcome.text.isEmpty)
        #expect(outcome.errorOutput.contains("without a terminal, confirm it with --yes"), "\(outcome.errorOutput)")
        #expect(try status("user_2") == "ACTIVE")
        #expect(try registry.run("users", "delete", "user_2", "--yes").text == "user_2 is now DELETED\n")
    }
}
