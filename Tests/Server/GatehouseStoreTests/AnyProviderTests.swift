import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

/// What every provider beside Apple needs from a store.
@Suite("Accounts of any provider in the store")
struct AnyProviderTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let bob = SampleLogin.user(2)
    private let cat = SampleLogin.user(3)
    private static let weChat = Provider(rawValue: "WECHAT") ?? .dev
    private static let names = ["WECHAT", "GOOGLE", "MY_COMPANY_1", String(repeating: "Z", count: 32)]

    init() throws { (database, store) = try TestDatabase.opened() }

    private func identity(_ subject: String, union: String? = nil, at provider: Provider = weChat) -> Identity {
        Identity(provider: provider, subject: subject, email: nil, unionSubject: union)
    }

    private func logIn(_ name: String, _ user: User, _ subject: String, union: String? = nil) throws -> LoginOutcome {
        try store.record(SampleLogin.login(name, of: user, as: identity(subject, union: union)))
    }

    @Test("a provider needs no migration: its name is read as it was written", arguments: names)
    func anyName(_ name: String) throws {
        let provider = try #require(Provider(rawValue: name))
        _ = try store.create(ann, with: SampleLogin.login("1", of: ann, as: identity("s", at: provider)))
        #expect(try store.accounts(of: ann.id).map(\.provider) == [provider])
        #expect(try store.users(UserQuery(limit: 9)).first?.providers == [provider])
    }

    @Test("an account keeps the union subject, and the first one that appears later")
    func union() throws {
        #expect(try logIn("1", ann, "openid") == .recorded(ann, ended: []))
        #expect(try store.accounts(of: ann.id).first?.unionSubject == nil)
        for (name, union) in [("2", "U"), ("3", nil), ("4", "other")] as [(String, String?)] {
            #expect(try logIn(name, bob, "openid", union: union) == .recorded(ann, ended: []))
            #expect(try store.accounts(of: ann.id).map(\.unionSubject) == ["U"])
        }
    }

    @Test("another app's subject with the same union subject is the same user, whose subject stays")
    func otherApp() throws {
        _ = try logIn("1", ann, "app-1", union: "U")
        #expect(try logIn("2", bob, "app-2", union: "U") == .recorded(ann, ended: []))
        #expect(try store.accounts(of: ann.id).map(\.subject) == ["app-1"])
        #expect(try logIn("3", bob, "app-1") == .recorded(ann, ended: []))
        // A subject of another app alone says nothing about the person, nor does a union subject at another provider.
        #expect(try logIn("4", bob, "app-2") == .recorded(bob, ended: []))
        let qq = try #require(Provider(rawValue: "QQ"))
        let login = SampleLogin.login("5", of: cat, as: identity("b", union: "U", at: qq))
        #expect(try store.record(login) == .recorded(cat, ended: []))
    }

    @Test("two users for the subject and the union subject are refused, and nothing changes")
    func twoUsers() throws {
        _ = try logIn("1", ann, "a")
        _ = try logIn("2", bob, "b", union: "U")
        #expect(try logIn("3", cat, "a", union: "U") == .refused(.twoUsers(ann.id, bob.id)))
        #expect(try store.accounts(of: ann.id).map(\.unionSubject) == [nil])
        #expect(try store.sessions(of: ann.id, aliveAt: noon).count == 1)
        let event = AuditEntry(.accountLinked, at: noon, userID: ann.id)
        let link = NewLink(
            identity: identity("a", union: "U"), user: ann.id, redemption: nil, task: nil, event: event,
            hasher: PlainHashes())
        guard case .taken(.identity) = try store.record(link) else {
            Issue.record("the identity was linked")
            return
        }
    }

    @Test("concurrent first logins by two apps with one union subject create one user")
    func concurrent() throws {
        let created = try Concurrently.run(16) { [store] number in
            let user = SampleLogin.user(number)
            let identity = Identity(
                provider: Self.weChat, subject: "app-\(number % 2)", email: nil, unionSubject: "U")
            return try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity))
        }
        #expect(created.filter { $0 }.count == 1)
    }

    @Test("a code is spent once, by one of many requests")
    func spend() throws {
        let redemption = Redemption(
            tokenHash: [7], nonceHash: nil, moment: noon, grace: .zero, expiresAt: noon + .seconds(3600))
        let spent = try Concurrently.run(8) { [store] _ in try store.spend(redemption) }
        #expect(spent.filter { $0 }.count == 1)
        #expect(try !store.spend(redemption))
    }

    @Test("an account that is unlinked ends the sessions that it opened, except the one that unlinked it")
    func unlinked() throws {
        _ = try logIn("own", ann, "a")
        let event = AuditEntry(.accountLinked, at: noon, userID: ann.id)
        let link = NewLink(
            identity: SampleLogin.identity("apple"), user: ann.id, redemption: nil, task: nil, event: event,
            hasher: PlainHashes())
        _ = try store.record(link)
        for name in ["apple-1", "apple-2"] {
            _ = try store.record(SampleLogin.login(name, of: ann, as: SampleLogin.identity("apple")))
        }
        var unlinking = AuditEntry(.accountUnlinked, at: noon, userID: ann.id)
        unlinking.sessionID = SessionID("sess_apple-1")
        // The sessions of this fixture all say that Apple opened them.
        #expect(
            try store.unlink(.apple, of: ann.id, recording: unlinking).ended.map(\.id.text).sorted() == [
                "sess_apple-2", "sess_own",
            ])
        #expect(try store.sessions(of: ann.id, aliveAt: noon).map(\.id.text) == ["sess_apple-1"])
        #expect(try store.unlink(Self.weChat, of: ann.id, recording: unlinking).decision == .last)
    }
}
