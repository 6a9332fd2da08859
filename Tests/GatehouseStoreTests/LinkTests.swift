import Gatehouse
import GatehouseStore
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("Linking and unlinking in a store")
struct LinkTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let dev = SampleLogin.user(2)

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("gatehouse.db"))
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
            asking: task, noting: AuditEvent(.accountLinked, at: moment, userID: user.id, provider: .apple))
    }

    private func unlink(_ user: User) throws -> UnlinkOutcome {
        try store.unlink(.apple, of: user.id, noting: AuditEvent(.accountUnlinked, at: noon, userID: user.id))
    }

    @Test("links once, and asks Apple once, however often the same is sent")
    func linked() throws {
        #expect(try link("new", to: dev) == .linked)
        #expect(try link("new", to: dev) == .linked)
        #expect(try Set(store.accounts(of: dev.id).map(\.subject)) == ["dev", "new"])
        #expect(try store.appleTasks() == 1)
        #expect(try store.auditEvents(of: dev.id).filter { $0.kind == .accountLinked }.count == 1)
    }

    @Test("refuses what is somebody else's, a second one, a used token, a used nonce and who is gone")
    func refused() throws {
        #expect(try link("ann", to: dev) == .taken)
        #expect(try link("new", to: ann) == .taken)
        #expect(try link("new", to: dev, token: 7, nonce: 8) == .linked)
        #expect(try unlink(dev) == .unlinked)
        #expect(try link("new", to: dev, token: 7, at: noon + .seconds(61)) == .replayed)
        #expect(try link("new", to: dev, token: 9, nonce: 8) == .usedNonce)
        #expect(try store.accounts(of: dev.id).map(\.subject) == ["dev"])
        _ = try store.delete(dev.id, noting: SampleLogin.event(.userDeleted))
        #expect(try link("new", to: dev, token: 10) == .outdated)
    }

    @Test("unlinks what is there, and not the last")
    func unlinked() throws {
        #expect(try unlink(dev) == .unlinked)
        #expect(try unlink(ann) == .last)
        #expect(try link("new", to: dev) == .linked)
        #expect(try unlink(dev) == .unlinked)
        #expect(try store.user(provider: .apple, subject: "new") == nil)
    }

    @Test("of many who bring one identity at once, one has it")
    func crowd() throws {
        let users = try (10..<26).map { number in
            let user = SampleLogin.user(number)
            let identity = Identity(provider: .dev, subject: "dev\(number)", email: nil)
            _ = try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity))
            return user
        }
        let outcomes = try Crowd.of(16) { number in try link("same", to: users[number], token: UInt8(number)) }
        #expect(outcomes.filter { $0 == .linked }.count == 1)
        #expect(outcomes.filter { $0 == .taken }.count == 15)
    }

    @Test("a login by a used token or a used nonce changes nothing", arguments: [true, false])
    func refusedLogin(_ isReplay: Bool) throws {
        #expect(try link("new", to: dev, token: 7, nonce: 8) == .linked)
        let somebody = SampleLogin.user(3, email: "somebody@example.com")
        var login = SampleLogin.login("3", of: somebody, as: SampleLogin.identity("somebody"))
        login.redemption = isReplay ? redemption(7, at: noon + .seconds(61)) : redemption(9, nonce: 8, at: noon)
        #expect(try store.record(login) == (isReplay ? .replayed : .usedNonce))
        #expect(try store.user(somebody.id) == nil)
        #expect(try store.user(provider: .apple, subject: "somebody") == nil)
    }
}
