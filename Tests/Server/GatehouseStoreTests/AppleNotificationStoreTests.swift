import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("Apple's notifications in the store")
struct AppleNotificationStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)

    init() throws {
        (database, store) = try TestDatabase.opened()
        let identity = SampleLogin.identity("ann", email: "ann@example.com")
        _ = try store.create(ann, with: SampleLogin.login("1", of: ann, as: identity))
    }

    private func apply(
        _ kind: AppleNotification.Kind, id: String, at moment: Timestamp, by policy: ConsentPolicy = .unlink,
        email: String? = nil
    ) throws -> [SessionID] {
        let notification = AppleNotification(
            id: id, kind: kind, subject: "ann", audience: "app", moment: moment, issuedAt: moment, email: email)
        return try store.apply(
            notification, by: policy, recording: AuditEntry(.appleNotification, at: noon, by: .apple, provider: .apple))
    }

    @Test("a notification ends each session once, and returns its ID")
    func once() throws {
        let session = SampleLogin.session("1", of: ann).id
        #expect(try apply(.consentRevoked, id: "1", at: noon, by: .keep) == [session])
        #expect(try apply(.consentRevoked, id: "1", at: noon, by: .keep) == [])
        #expect(try apply(.consentRevoked, id: "2", at: noon, by: .keep) == [])
        #expect(try store.user(ann.id)?.status == .active)
    }

    @Test(
        "a notification that is older than the last login does not end the account",
        arguments: [(-1000, false), (-999, true), (0, true), (1000, true)] as [(Int, Bool)])
    func horizon(_ milliseconds: Int, _ ends: Bool) throws {
        // Also if the policy is to keep users: the account does not exist any more.
        let ended = try apply(.accountDeleted, id: "1", at: noon + .milliseconds(milliseconds), by: .keep)
        #expect(!ended.isEmpty == ends)
        #expect(try (store.user(ann.id)?.status == .deleted) == ends)
    }

    @Test("the later of two notifications about email takes effect, whichever arrives first")
    func mail() throws {
        _ = try apply(.emailEnabled, id: "1", at: noon + .seconds(2), email: "new@example.com")
        _ = try apply(.emailDisabled, id: "2", at: noon + .seconds(1), email: "old@example.com")
        let account = try #require(try store.accounts(of: ann.id).first)
        #expect(account.isMailForwarded == true && account.email == "new@example.com")
        _ = try apply(.emailDisabled, id: "3", at: noon + .seconds(3))
        let after = try #require(try store.accounts(of: ann.id).first)
        #expect(after.isMailForwarded == false && after.email == "new@example.com")
    }

    @Test("a notification about an unknown subject is accepted and changes nothing")
    func unknown() throws {
        let notification = AppleNotification(
            id: "1", kind: .consentRevoked, subject: "unknown", audience: "app", moment: noon, issuedAt: noon)
        #expect(try store.apply(notification, by: .delete, recording: SampleLogin.event(.appleNotification)) == [])
        #expect(try store.user(ann.id)?.status == .active)
    }
}
