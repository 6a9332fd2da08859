import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("The address of a user")
struct UserAddressTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon

    /// Different names for the sessions and tokens of one test.
    private final class Counter {
        var value: UInt8 = 0
        func next() -> UInt8 {
            value += 1
            return value
        }
    }

    private let counter = Counter()

    init() throws { (database, store) = try TestDatabase.opened() }

    private func apple(_ email: String?, _ verified: Bool? = nil) -> Identity {
        Identity(provider: .apple, subject: "s1", email: email, emailVerified: verified)
    }

    private func dev(_ email: String?) -> Identity { Identity(provider: .dev, subject: "d1", email: email) }

    /// A new user with this identity.
    private func user(by identity: Identity) throws -> User {
        var user = SampleLogin.user(1, email: identity.email)
        user.emailVerified = identity.hasVerifiedEmail
        #expect(try store.create(user, with: SampleLogin.login("0", of: user, as: identity)))
        return user
    }

    /// The user's address and whether it is verified, after a login.
    private func logIn(_ user: User, by identity: Identity) throws -> Address {
        let after = try store.add(SampleLogin.login("\(counter.next())", of: user, as: identity))
        #expect(try after == store.user(user.id))
        return Address(after)
    }

    private func link(_ identity: Identity, to user: User) throws {
        let number = counter.next()
        let redemption = Redemption(
            tokenHash: [number], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(86_400))
        let outcome = try store.link(
            identity, to: user.id, redeeming: redemption, queueing: nil,
            recording: AuditEntry(.accountLinked, at: noon + .seconds(Int(number)), userID: user.id))
        #expect(outcome == .linked)
    }

    private func unlink(_ provider: Provider, of user: User) throws -> Address {
        let event = AuditEntry(.accountUnlinked, at: noon, userID: user.id)
        let decision = try store.unlink(provider, of: user.id, recording: event).decision
        #expect(decision != .nothing && decision != .last)
        return Address(try store.user(user.id))
    }

    private struct Address: Equatable {
        var email: String?
        var isVerified: Bool

        init(_ email: String?, _ isVerified: Bool) { (self.email, self.isVerified) = (email, isVerified) }

        init(_ user: User?) { (email, isVerified) = (user?.email, user?.emailVerified ?? false) }
    }

    @Test("follows the identity that it came from, and its verification with it")
    func follows() throws {
        let user = try user(by: apple("a@example.com", true))
        #expect(try logIn(user, by: apple("b@example.com", true)) == Address("b@example.com", true))
        #expect(try logIn(user, by: apple("c@example.com")) == Address("c@example.com", false))
        #expect(try logIn(user, by: apple("c@example.com", true)) == Address("c@example.com", true))
        #expect(try logIn(user, by: apple("C@example.com")) == Address("C@example.com", true), "the same address")
        #expect(try logIn(user, by: apple("c@example.com", false)) == Address("c@example.com", false))
    }

    @Test("is not erased by a token without one")
    func missing() throws {
        let user = try user(by: apple("a@example.com", true))
        #expect(try logIn(user, by: apple(nil)) == Address("a@example.com", true))
        #expect(try logIn(user, by: apple(nil, false)) == Address("a@example.com", true))
    }

    @Test("addresses that only look alike are different addresses")
    func lookalikes() throws {
        let user = try user(by: dev("kate@example.com"))
        try link(apple("\u{212A}ate@example.com", true), to: user)
        #expect(try logIn(user, by: apple("\u{212A}ate@example.com", true)) == Address("kate@example.com", false))
        let accent = Identity(provider: .apple, subject: "s2", email: "\u{E9}@example.com", emailVerified: true)
        let emile = SampleLogin.user(2, email: accent.email)
        #expect(try store.create(emile, with: SampleLogin.login("emile", of: emile, as: accent)))
        var combined = accent
        combined.email = "e\u{301}@example.com"
        combined.emailVerified = nil
        let followed = try logIn(emile, by: combined)
        #expect(followed.email?.utf8.elementsEqual("e\u{301}@example.com".utf8) == true && !followed.isVerified)
        let account = try #require(try store.accounts(of: emile.id).first)
        #expect(account.email?.utf8.elementsEqual("e\u{301}@example.com".utf8) == true)
    }

    @Test("of several identities, only the one that it came from changes it")
    func severalIdentities() throws {
        let user = try user(by: apple("a@example.com", true))
        try link(dev("d@example.com"), to: user)
        #expect(try logIn(user, by: dev("d@example.com")) == Address("a@example.com", true))
        #expect(try logIn(user, by: apple("b@example.com", true)) == Address("b@example.com", true))
        #expect(try logIn(user, by: dev("d@example.com")) == Address("b@example.com", true))
    }

    @Test("an identity that was linked later does not change it, even if it once had the same address")
    func linkedLater() throws {
        let user = try user(by: dev("d@example.com"))
        try link(apple("D@example.com", true), to: user)
        #expect(try logIn(user, by: apple("d@example.com")) == Address("d@example.com", true))
        #expect(try logIn(user, by: apple("b@example.com", true)) == Address("d@example.com", true))
        #expect(try logIn(user, by: apple("c@example.com", false)) == Address("d@example.com", true))
    }

    @Test("an address that no account has is replaced by the next login with one")
    func stale() throws {
        let user = try user(by: apple("a@example.com", true))
        try database.execute("UPDATE auth_accounts SET email = 'b@example.com'")
        #expect(try logIn(user, by: apple(nil)) == Address("a@example.com", true))
        #expect(try logIn(user, by: apple("b@example.com")) == Address("b@example.com", false))
    }

    @Test("after unlinking, the user has the address of a remaining account")
    func unlinked() throws {
        let user = try user(by: apple("a@example.com", true))
        try link(dev("d@example.com"), to: user)
        #expect(try unlink(.apple, of: user) == Address("d@example.com", false))
        try link(apple("a@example.com", true), to: user)
        #expect(try logIn(user, by: apple("b@example.com", true)) == Address("d@example.com", false))
        #expect(try unlink(.apple, of: user) == Address("d@example.com", false))
        try link(apple("b@example.com", true), to: user)
        #expect(try unlink(.dev, of: user) == Address("b@example.com", true))
    }

    @Test("an address is kept if no remaining account has one, until a login brings one")
    func unlinkedLastAddress() throws {
        let user = try user(by: apple("a@example.com", true))
        try link(dev(nil), to: user)
        #expect(try unlink(.apple, of: user) == Address("a@example.com", true))
        #expect(try logIn(user, by: dev(nil)) == Address("a@example.com", true))
        #expect(try logIn(user, by: dev("d@example.com")) == Address("d@example.com", false))
    }

    @Test("an address that a remaining account has as well is kept when the other is unlinked")
    func unlinkedSameAddress() throws {
        let user = try user(by: apple("a@example.com", true))
        try link(dev("A@example.com"), to: user)
        #expect(try unlink(.apple, of: user) == Address("a@example.com", true))
    }

    @Test("unlinking by a withdrawn consent has the same effect")
    func consentRevoked() throws {
        let user = try user(by: apple("a@example.com", true))
        try link(dev("d@example.com"), to: user)
        let notification = AppleNotification(
            id: "n", kind: .consentRevoked, subject: "s1", audience: "app", moment: noon + .seconds(600),
            issuedAt: noon + .seconds(600))
        let event = AuditEntry(.appleNotification, at: noon + .seconds(600), by: .apple, provider: .apple)
        _ = try store.apply(notification, by: .unlink, hasher: PlainHashes(), recording: event)
        #expect(Address(try store.user(user.id)) == Address("d@example.com", false))
    }
}
