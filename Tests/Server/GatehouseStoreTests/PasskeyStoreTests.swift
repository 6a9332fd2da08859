import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Passkeys in the store")
struct PasskeyStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)

    init() throws { (database, store) = try TestDatabase.opened() }

    private func passkey(_ number: UInt8, count: Int64 = 0) -> Passkey {
        Passkey(
            id: "passkey_\(number)", credentialID: [number], publicKey: [2, number], algorithm: -7, signCount: count,
            transports: ["hybrid", "internal"], isBackupEligible: false, isBackedUp: false, aaguid: [0, 1],
            createdAt: noon + .seconds(Int64(number)))
    }

    private func signUp(_ user: User, _ passkey: Passkey, handle: String) throws -> LoginOutcome {
        try store.record(login(user, .new(passkey), handle))
    }

    private func login(_ user: User, _ proof: PasskeyProof, _ handle: String, _ name: String = "1") -> LoginFixture {
        let identity = Identity(provider: .passkey, subject: handle, email: nil)
        var login = SampleLogin.login("\(user.id.text)_\(name)", of: user, as: identity)
        login.passkey = proof
        return login
    }

    private func use(_ number: UInt8, count: Int64) -> PasskeyProof {
        .use(
            PasskeyUse(
                credentialID: [number], signCount: count, isBackupEligible: true, isBackedUp: true, isUserVerified: true
            ))
    }

    private func add(_ passkey: Passkey, to user: User, handle: String, token: UInt8) throws -> PasskeyDecision {
        let redemption = Redemption(tokenHash: [token], moment: noon, expiresAt: noon + .seconds(600))
        let link = NewLink(
            identity: Identity(provider: .passkey, subject: handle, email: nil), user: user.id, redemption: redemption,
            task: nil, event: AuditEntry(.accountLinked, at: noon, userID: user.id), hasher: PlainHashes())
        return try store.record(
            NewPasskey(passkey, link: link, event: AuditEntry(.passkeyAdded, at: noon, userID: user.id)))
    }

    private func remove(_ id: String, of user: User) throws -> UnlinkDecision? {
        try store.remove(
            passkey: id, of: user.id, recording: AuditEntry(.passkeyRemoved, at: noon, userID: user.id),
            unlinking: AuditEntry(.accountUnlinked, at: noon, userID: user.id)
        ).decision
    }

    @Test("A sign-up writes the user and the passkey, which reads back as it was, and a sign-in changes its counter")
    func login() throws {
        #expect(try signUp(ann, passkey(1, count: 4), handle: "h") == .recorded(ann, ended: []))
        let found = try #require(try store.passkey([1]))
        #expect(found.passkey == passkey(1, count: 4) && found.subject == "h" && found.user == ann.id)
        #expect(try store.record(login(ann, use(1, count: 5), "h", "2")) == .recorded(ann, ended: []))
        let used = try #require(try store.passkeys(of: ann.id).first)
        #expect(used.signCount == 5 && used.isBackedUp && used.lastUsedAt == noon && used.isBackupEligible)
    }

    @Test("A sign-in is decided about the row as it is then", arguments: [4, 3, 0] as [Int64])
    func counter(count: Int64) throws {
        _ = try signUp(ann, passkey(1, count: 4), handle: "h")
        #expect(try store.record(login(ann, use(1, count: count), "h", "2")) == .refused(.passkeyCounter(of: ann.id)))
        #expect(try store.passkey([1])?.passkey.signCount == 4)
    }

    @Test("A passkey that was removed, or is another account's, signs nobody in and creates no user")
    func removed() throws {
        let bob = SampleLogin.user(2)
        _ = try signUp(ann, passkey(1), handle: "h")
        _ = try signUp(bob, passkey(2), handle: "b")
        let gone = LoginRefusal.passkeyRemoved(credentialID: [2])
        #expect(try store.record(login(ann, use(2, count: 0), "h", "2")) == .refused(gone))
        #expect(try store.delete(bob.id, recording: AuditEntry(.userDeleted, at: noon, userID: bob.id)) != nil)
        #expect(try store.record(login(bob, use(2, count: 0), "b", "2")) == .refused(gone))
        #expect(try database.number("SELECT count(*) FROM passkeys") == 1)
    }

    @Test("A credential belongs to one user")
    func unique() throws {
        let (bob, eve) = (SampleLogin.user(2), SampleLogin.user(3))
        _ = try signUp(ann, passkey(1), handle: "h")
        #expect(try signUp(bob, passkey(1), handle: "b") == .refused(.knownPasskey))
        _ = try store.create(eve, with: SampleLogin.login("eve", of: eve, as: SampleLogin.identity("eve")))
        #expect(try add(passkey(1), to: eve, handle: "e", token: 1) == .taken)
        #expect(try store.accounts(of: eve.id).count == 1, "and no account is linked")
    }

    @Test("The last passkey goes with its account, the last account stays, and each challenge adds one")
    func accounts() throws {
        _ = try store.create(ann, with: SampleLogin.login("ann", of: ann, as: SampleLogin.identity("ann")))
        #expect(try add(passkey(1), to: ann, handle: "h", token: 1) == .add)
        #expect(try add(passkey(2), to: ann, handle: "h", token: 1) == .outdated)
        #expect(try add(passkey(2), to: ann, handle: "other", token: 2) == .outdated)
        #expect(try add(passkey(2), to: ann, handle: "h", token: 3) == .add)
        #expect(try store.rename(passkey: "passkey_1", of: ann.id, to: "Phone")?.name == "Phone")
        #expect(try store.rename(passkey: "passkey_1", of: SampleLogin.user(2).id, to: "x") == nil)
        #expect(try store.passkeys(of: ann.id).map(\.name) == ["Phone", nil])
        #expect(try remove("passkey_1", of: ann) == nil)
        #expect(try remove("passkey_1", of: ann) == .nothing)
        guard case .unlink = try remove("passkey_2", of: ann) else { return #expect(Bool(false), "it is there") }
        #expect(try store.accounts(of: ann.id).map(\.provider) == [.apple])
        let bob = SampleLogin.user(2)
        _ = try signUp(bob, passkey(3), handle: "b")
        #expect(try remove("passkey_3", of: bob) == .last)
        #expect(try store.passkeys(of: bob.id).count == 1)
        let kinds = try store.auditEvents(of: ann.id).map(\.kind)
        #expect(kinds.filter { $0 == .passkeyRemoved }.count == 2 && kinds.filter { $0 == .accountLinked }.count == 1)
    }
}
