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
        database = try TestDatabase()
        store = try database.store()
        _ = try store.create(ann, with: SampleLogin.login("1", of: ann, as: SampleLogin.identity("ann")))
        let identity = Identity(provider: .dev, subject: "dev", email: "dev@example.com")
        _ = try store.create(dev, with: SampleLogin.login("2", of: dev, as: identity))
    }

    private func redemption(_ token: UInt8, nonce: UInt8? = nil, at moment: Timestamp) -> Redemption {
        Redemption(
            tokenHash: [token], nonceHash: nonce.map { [$0] }, moment: moment, grace: .seconds(60),
            expiresAt: noon + .seconds(86_400))
    }

    private func link(
        _ subject: String, to user: User, token: UInt8 = 1, nonce: UInt8? = nil, at moment: Timestamp? = nil
    ) throws -> LinkOutcome {
        let moment = moment ?? noon
        let task = AppleTask(kind: .exchange, userID: user.id, clientID: "app", sealed: [1], dueAt: moment)
        return try store.link(
            SampleLogin.identity(subject), to: user.id, redeeming: redemption(token, nonce: nonce, at: moment),
            queueing: task, recording: AuditEvent(.accountLinked, at: moment, userID: user.id, provider: .apple))
    }

    private func unlink(_ user: User) throws -> UnlinkDecision {
        try store.unlink(
            .apple, of: user.id, recording: AuditEvent(.accountUnlinked, at: noon, userID: user.id)
        ).decision
    }

    private func isUnlinked(_ user: User) throws -> Bool {
        if case .unlink = try unlink(user) { true } else { false }
    }

    @Test("a repeated link is recorded once, and queues one task for Apple")
    func linked() throws {
        #expect(try link("new", to: dev) == .linked)
        #expect(try link("new", to: dev) == .linked)
        #expect(try Set(store.accounts(of: dev.id).map(\.subject)) == ["dev", "new"])
        #expect(store.unfinishedAppleTasks == 1)
        #expect(try store.auditEvents(of: dev.id).filter { $0.kind == .accountLinked }.count == 1)
    }

    @Test("another user's identity, a second identity, a used token, a used nonce and a deleted user are refused")
    func refused() throws {
        #expect(try link("ann", to: dev) == .taken)
        #expect(try link("new", to: ann) == .taken)
        #expect(try link("new", to: dev, token: 7, nonce: 8) == .linked)
        #expect(try isUnlinked(dev))
        #expect(try link("new", to: dev, token: 7, at: noon + .seconds(61)) == .replayed)
        #expect(try link("new", to: dev, token: 9, nonce: 8) == .usedNonce)
        #expect(try store.accounts(of: dev.id).map(\.subject) == ["dev"])
        _ = try store.delete(dev.id, recording: SampleLogin.event(.userDeleted))
        #expect(try link("new", to: dev, token: 10) == .userInactive)
    }

    @Test("an account is unlinked, unless it is the last one")
    func unlinked() throws {
        #expect(try unlink(dev) == .nothing)
        #expect(try unlink(ann) == .last)
        #expect(try link("new", to: dev) == .linked)
        #expect(try isUnlinked(dev))
        #expect(try store.user(provider: .apple, subject: "new") == nil)
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

    @Test("a login with a used token or a used nonce changes nothing", arguments: [true, false])
    func refusedLogin(_ isReplay: Bool) throws {
        #expect(try link("new", to: dev, token: 7, nonce: 8) == .linked)
        let stranger = SampleLogin.user(3, email: "stranger@example.com")
        var login = SampleLogin.login("3", of: stranger, as: SampleLogin.identity("stranger"))
        login.redemption = isReplay ? redemption(7, at: noon + .seconds(61)) : redemption(9, nonce: 8, at: noon)
        #expect(try store.record(login) == .refused(isReplay ? .replayed : .usedNonce))
        #expect(try store.user(stranger.id) == nil)
        #expect(try store.user(provider: .apple, subject: "stranger") == nil)
    }
}
