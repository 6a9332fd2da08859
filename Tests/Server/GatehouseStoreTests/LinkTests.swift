import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Linking and unlinking in the store")
struct LinkTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let dev = SampleLogin.user(2)

    init() throws {
        (database, store) = try TestDatabase.opened()
        _ = try store.create(ann, with: SampleLogin.login("1", of: ann, as: SampleLogin.identity("ann")))
        let identity = Identity(provider: .dev, subject: "dev", email: "dev@example.com")
        _ = try store.create(dev, with: SampleLogin.login("2", of: dev, as: identity))
    }

    private func link(_ subject: String, to user: User, token: UInt8 = 1) throws -> LinkOutcome {
        let redemption = Redemption(
            tokenHash: [token], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(86_400))
        let task = AppleTask(kind: .exchange, userID: user.id, clientID: "app", sealed: [1], dueAt: noon)
        return try store.link(
            SampleLogin.identity(subject), to: user.id, redeeming: redemption, queueing: task,
            recording: AuditEntry(.accountLinked, at: noon, userID: user.id, provider: .apple))
    }

    private func unlink(_ user: User) throws -> UnlinkDecision {
        try store.unlink(
            .apple, of: user.id, recording: AuditEntry(.accountUnlinked, at: noon, userID: user.id)
        ).decision
    }

    @Test("a repeated link is recorded once, and queues one task for Apple")
    func linked() throws {
        #expect(try link("new", to: dev) == .linked)
        #expect(try link("new", to: dev) == .linked)
        #expect(try Set(store.accounts(of: dev.id).map(\.subject)) == ["dev", "new"])
        #expect(store.unfinishedAppleTasks == 1)
        #expect(try store.auditEvents(of: dev.id).filter { $0.kind == .accountLinked }.count == 1)
    }

    @Test("an account is unlinked, unless it is the last one")
    func unlinked() throws {
        #expect(try unlink(dev) == .nothing)
        #expect(try unlink(ann) == .last)
        #expect(try link("new", to: dev) == .linked)
        guard case .unlink = try unlink(dev) else { return #expect(Bool(false), "it was not unlinked") }
        #expect(try store.user(provider: .apple, subject: "new") == nil)
    }

    @Test("Neither a user who is not active nor a session that has ended changes an account", arguments: [false, true])
    func ended(isRevoked: Bool) throws {
        #expect(try link("new", to: dev) == .linked)
        let session = SessionID("sess_2")
        func event(_ kind: AuditEntry.Kind) -> AuditEntry {
            AuditEntry(kind, at: noon, userID: dev.id, sessionID: session)
        }
        if isRevoked {
            #expect(try store.revoke(session, for: .logout, recording: event(.logout)))
        } else {
            try database.execute("UPDATE users SET status = 'DISABLED' WHERE id = '\(dev.id.text)'")
        }
        let other = NewLink(
            identity: Identity(provider: .phone, subject: "new", email: nil), user: dev.id, redemption: nil, task: nil,
            event: event(.accountLinked), hasher: PlainHashes())
        guard case .callerEnded = try store.record(other) else { return #expect(Bool(false), "it was linked") }
        #expect(try store.unlink(.apple, of: dev.id, recording: event(.accountUnlinked)).decision == .callerEnded)
        let removed = try store.remove(
            passkey: "p", of: dev.id, recording: event(.passkeyRemoved), unlinking: event(.accountUnlinked))
        #expect(removed.decision == .callerEnded)
        #expect(try store.delete(dev.id, queueing: nil, recording: event(.userDeleted)) == nil)
        #expect(try store.accounts(of: dev.id).count == 2)
        // An operator has no session.
        let byOperator = AuditEntry(.userDeleted, at: noon, by: .operator, userID: dev.id)
        #expect(try store.delete(dev.id, queueing: nil, recording: byOperator) != nil)
    }

    @Test("concurrent links of one identity succeed for one user")
    func concurrent() throws {
        let users = try (10..<26).map { number in
            let user = SampleLogin.user(number)
            let identity = Identity(provider: .dev, subject: "dev\(number)", email: nil)
            _ = try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity))
            return user
        }
        let outcomes = try Concurrently.run(16) { number in try link("same", to: users[number], token: UInt8(number)) }
        #expect(outcomes.filter { $0 == .linked }.count == 1)
        #expect(outcomes.filter { $0 == .taken }.count == 15)
    }
}
