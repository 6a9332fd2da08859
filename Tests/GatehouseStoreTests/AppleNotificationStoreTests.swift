import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("What a store makes of Apple's notifications")
struct AppleNotificationStoreTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("gatehouse.db"))
        let identity = SampleLogin.identity("ann", email: "ann@example.com")
        _ = try store.create(ann, with: SampleLogin.login("1", of: ann, as: identity))
    }

    private func tell(
        _ kind: AppleNotification.Kind, id: String, at moment: Timestamp, by policy: ConsentPolicy = .unlink,
        email: String? = nil
    ) throws -> [SessionID] {
        let notification = AppleNotification(
            id: id, kind: kind, subject: "ann", audience: "app", moment: moment, issuedAt: moment, email: email)
        return try store.apply(
            notification, by: policy, noting: AuditEvent(.appleNotification, at: noon, by: .apple, provider: .apple))
    }

    @Test("names the sessions that ended, once")
    func once() throws {
        let session = SampleLogin.session("1", of: ann).id
        #expect(try tell(.consentRevoked, id: "1", at: noon, by: .keep) == [session])
        #expect(try tell(.consentRevoked, id: "1", at: noon, by: .keep) == [])
        #expect(try tell(.consentRevoked, id: "2", at: noon, by: .keep) == [])
        #expect(try store.user(ann.id)?.status == .active)
    }

    @Test(
        "ends an account only for news that are no older than its last login",
        arguments: [(-1000, false), (-999, true), (0, true), (1000, true)] as [(Int, Bool)])
    func horizon(_ milliseconds: Int, _ ends: Bool) throws {
        let ended = try tell(.accountDeleted, id: "1", at: noon + .milliseconds(milliseconds))
        #expect(!ended.isEmpty == ends)
        #expect(try (store.user(ann.id)?.status == .deleted) == ends)
    }

    @Test("do not let somebody come back as somebody new who has been kept out", arguments: ConsentPolicy.allCases)
    func disabled(_ policy: ConsentPolicy) throws {
        #expect(try store.disable(ann.id, noting: SampleLogin.event(.userDisabled)))
        _ = try tell(.consentRevoked, id: "1", at: noon + .seconds(1), by: policy)
        #expect(try store.user(provider: .apple, subject: "ann")?.status == .disabled)
    }

    @Test("an account whose person is gone at Apple is not kept, whatever becomes of the others")
    func accountDeleted() throws {
        #expect(try !tell(.accountDeleted, id: "1", at: noon, by: .keep).isEmpty)
        #expect(try store.user(ann.id)?.status == .deleted)
    }

    @Test("of two that say something about mail, the later one stands, whichever comes first")
    func mail() throws {
        _ = try tell(.emailEnabled, id: "1", at: noon + .seconds(2), email: "new@example.com")
        _ = try tell(.emailDisabled, id: "2", at: noon + .seconds(1), email: "old@example.com")
        let account = try #require(try store.accounts(of: ann.id).first)
        #expect(account.isMailForwarded == true && account.email == "new@example.com")
        _ = try tell(.emailDisabled, id: "3", at: noon + .seconds(3))
        let after = try #require(try store.accounts(of: ann.id).first)
        #expect(after.isMailForwarded == false && after.email == "new@example.com")
    }

    @Test("about somebody unknown are remembered and change nothing")
    func unknown() throws {
        let notification = AppleNotification(
            id: "1", kind: .consentRevoked, subject: "nobody", audience: "app", moment: noon, issuedAt: noon)
        #expect(try store.apply(notification, by: .delete, noting: SampleLogin.event(.appleNotification)) == [])
        #expect(try store.user(ann.id)?.status == .active)
    }
}
