import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users unlink")
struct UsersUnlinkTests {
    private let registry: Registry
    private let number = "+8613800138000"

    init() throws {
        registry = try Registry()
        let user = try registry.add("1", email: "ada@example.com")
        let event = AuditEvent(.accountLinked, at: Registry.noon, userID: user.id, provider: .phone)
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
        #expect(try registry.run("users", "show", number).status == 1)
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
        #expect(try registry.run("users", "unlink", "user_1", "phone").status == 0)
        let last = try registry.run("users", "unlink", "user_1", "apple")
        #expect(last.status == 1 && last.errorOutput.contains("the only way"))
        #expect(try registry.run("users", "unlink", "user_1", "a b").status == 2)
        #expect(try registry.run("users", "unlink", "user_9", "phone").status == 1)
    }
}
