import Gatehouse
import StoreSupport
import Testing

@Suite("Rules of logins, links and withdrawn consents")
struct LoginDecisionTests {
    private static let noon = Timestamp(seconds: 1_800_000_000)

    private func user(email: String? = nil, verified: Bool = false, status: UserStatus = .active) -> User {
        User(
            id: UserID("user_1"), email: email, emailVerified: verified, nickname: nil, status: status,
            createdAt: Self.noon)
    }

    private func account(_ provider: Provider = .apple, email: String? = nil, verified: Bool? = nil) -> LinkedAccount {
        let identity = Identity(provider: provider, subject: "s", email: email, emailVerified: verified)
        return LinkedAccount(identity, linkedAt: Self.noon)
    }

    private func login(_ identity: Identity) -> Login {
        Login(identity: identity, nickname: nil, moment: Self.noon, hasher: PlainHashes())
    }

    @Test("a user who may not log in is told so before a used token is")
    func order() {
        let login = login(Identity(provider: .apple, subject: "s", email: nil))
        let disabled = user(status: .disabled)
        #expect(
            login.refusal(on: IdentityFacts(known: (account(), disabled), use: .replayed)) == .inactive(disabled))
        #expect(login.refusal(on: IdentityFacts(barredFrom: disabled.id, use: .usedNonce)) == .barred(disabled.id))
        #expect(login.refusal(on: IdentityFacts(known: (account(), user()), use: .usedNonce)) == .usedNonce)
        #expect(login.refusal(on: IdentityFacts(known: (account(), user()), use: .repeated)) == nil)
    }

    @Test("an account takes what the provider says, and keeps what it does not say this time")
    func account() throws {
        var known = account(email: "a@example.com", verified: true)
        known.emailHint = "first@example.com"
        func updated(_ identity: Identity) -> LinkedAccount? { known.updated(from: identity) }

        #expect(updated(Identity(provider: .apple, subject: "s", email: nil)) == nil)
        #expect(updated(Identity(provider: .apple, subject: "s", email: "a@example.com", emailHint: "x@y.z")) == nil)
        let moved = try #require(updated(Identity(provider: .apple, subject: "t", email: nil)))
        #expect(moved.subject == "t" && moved.email == "a@example.com" && moved.emailVerified == true)
        let other = try #require(updated(Identity(provider: .apple, subject: "s", email: "b@example.com")))
        #expect(other.email == "b@example.com" && other.emailVerified == nil, "of a new address it is not known")
        #expect(other.emailHint == "first@example.com")
    }

    @Test("a repeated login queues nothing: an authorization code can be exchanged once", arguments: [true, false])
    func repeated(_ isRepeated: Bool) {
        let login = login(Identity(provider: .apple, subject: "s", email: nil))
        let facts = IdentityFacts(known: (account(), user()), use: isRepeated ? .repeated : .first)
        let token = SessionToken(
            generation: 1, random: [], issuedAt: Self.noon, expiresAt: Self.noon + .seconds(60), hash: [])
        let session = Session(
            id: SessionID("sess_1"), userID: UserID("user_1"), provider: .apple, clientID: "app", device: .unknown,
            createdAt: Self.noon, token: token)
        let task = AppleTask(
            kind: .exchange, userID: UserID("user_1"), clientID: "app", sealed: [1], dueAt: Self.noon)
        let accepted = AcceptedLogin(
            login, of: user(), on: facts, opening: session, refreshToken: "", queueing: task)
        #expect((accepted.task == nil) == isRepeated)
        #expect(!accepted.isNewUser && accepted.account == nil, "the account is as it was")
    }

    @Test(
        "what a withdrawn consent does",
        arguments: [
            (kind: .consentRevoked, policy: .keep, others: 1, status: .active, effect: "keep", barred: 0),
            (kind: .consentRevoked, policy: .unlink, others: 1, status: .active, effect: "unlink", barred: 0),
            (kind: .consentRevoked, policy: .unlink, others: 0, status: .active, effect: "delete", barred: 0),
            (kind: .consentRevoked, policy: .delete, others: 1, status: .active, effect: "delete", barred: 0),
            (kind: .consentRevoked, policy: .delete, others: 1, status: .disabled, effect: "keep", barred: 0),
            (kind: .consentRevoked, policy: .unlink, others: 0, status: .disabled, effect: "keep", barred: 0),
            (kind: .accountDeleted, policy: .keep, others: 1, status: .active, effect: "unlink", barred: 0),
            (kind: .accountDeleted, policy: .keep, others: 1, status: .disabled, effect: "unlink", barred: 1),
            (kind: .accountDeleted, policy: .unlink, others: 0, status: .disabled, effect: "delete", barred: 1),
            (kind: .accountDeleted, policy: .delete, others: 1, status: .disabled, effect: "delete", barred: 2),
        ]
            as [(
                kind: AppleNotification.Kind, policy: ConsentPolicy, others: Int, status: UserStatus, effect: String,
                barred: Int
            )])
    func withdrawn(
        kind: AppleNotification.Kind, policy: ConsentPolicy, others: Int, status: UserStatus, effect: String,
        barred: Int
    ) {
        let accounts = [account(.apple)] + Array(repeating: account(.dev), count: others)
        let withdrawal = ConsentWithdrawal(by: kind, policy, of: user(status: status), with: accounts)
        let found =
            switch withdrawal.effect {
            case .keep: "keep"
            case .unlink: "unlink"
            case .delete: "delete"
            }
        #expect(found == effect && withdrawal.barred.count == barred)
    }
}
