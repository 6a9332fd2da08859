import SQL
import StoreSupport
import TestSupport
import Testing

@testable import Gatehouse
@testable import GatehouseStore

@Suite("The store of attributes")
struct AttributesStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let now = SampleLogin.noon + .seconds(60)
    private let user = UserID("user_1")
    private static let pro = Attributes(canonical: #"{"plan":"pro","x":"中\u0001\""}"#)

    init() throws {
        (database, store) = try TestDatabase.opened()
        try add(1)
    }

    private func add(_ number: Int) throws {
        let (user, identity) = (SampleLogin.user(number, email: nil), SampleLogin.identity("s\(number)", email: nil))
        #expect(try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity)))
    }

    private func set(
        _ attributes: Attributes, of user: UserID? = nil, expecting expected: [Int64]? = nil
    ) throws -> AttributesOutcome {
        try store.setAttributes(
            AttributesChange(
                of: user ?? self.user, to: attributes, expecting: expected,
                recording: AuditEntry(.attributesChanged, at: now, by: .service, userID: user ?? self.user)))
    }

    private func summary() throws -> UserSummary { try #require(try store.summaries(of: [user]).first) }

    private func logged() throws -> Int { try store.revocations(after: 0).count }

    @Test("a change names the version that it replaces, and a repetition changes nothing")
    func versions() throws {
        #expect(try summary().attributesVersion == 0 && summary().user.attributes == .none)
        #expect(try set(Self.pro, expecting: [1]) == .conflict(0))
        #expect(try summary().user.attributes == .none)
        #expect(try set(Self.pro, expecting: [5, 0]) == .done(summary()))
        #expect(try summary().attributesVersion == 1 && summary().user.attributes == Self.pro)
        #expect(try store.user(user)?.attributes == Self.pro && summary().updatedAt >= now)
        #expect(try set(Self.pro, expecting: [0]) == .done(summary()))
        #expect(try set(.none, expecting: []) == .conflict(1))
        #expect(try set(.none) == .done(summary()))
        #expect(try summary().attributesVersion == 2)
        let entries = try store.auditEvents(of: user).filter { $0.kind == .attributesChanged }
        #expect(entries.map(\.detail) == ["plan x", "plan x"] && entries.allSatisfy { $0.actor == .service })
        #expect(try set(Self.pro, of: UserID("user_9")) == .unknownUser)
    }

    @Test("the revocation log has every change: a node may list other names than the one that makes it")
    func log() throws {
        #expect(try set(.none) == .done(summary()))
        #expect(try logged() == 0)
        #expect(try set(Attributes(canonical: #"{"x":1}"#)) == .done(summary()))
        #expect(try logged() == 1)
        #expect(try set(Self.pro) == .done(summary()))
        #expect(try logged() == 2)
        if case .user(_, let state?) = try store.revocations(after: 0).last?.subject {
            #expect(state.attributes == Self.pro)
        } else {
            #expect(TestDatabase.isOnServer)
        }
    }

    @Test("a deletion clears them, also one by a program of the version before, and they cannot be set again")
    func deletion() throws {
        _ = try set(Self.pro)
        try database.execute("UPDATE users SET status = 'DELETED' WHERE id = 'user_1'")
        #expect(try summary().user.attributes == .none && summary().attributesVersion == 2)
        #expect(try set(Self.pro) == .unknownUser)
        try add(2)
        _ = try set(Self.pro, of: UserID("user_2"))
        _ = try store.delete(UserID("user_2"), queueing: nil, recording: SampleLogin.event(.userDeleted))
        #expect(try store.user(UserID("user_2"))?.attributes == Attributes.none)
    }

    @Test("a merge that a program of the version before makes keeps them for undoing it")
    func formerMerge() throws {
        _ = try set(Self.pro)
        try add(2)
        try database.execute(
            """
            INSERT INTO merges (id, user_id, other_id, moment, accounts, email_verified, onboarding_completed,
                other_email_verified)
            VALUES (1, 'user_1', 'user_2', \(now.milliseconds), '', FALSE, FALSE, FALSE)
            """)
        try database.execute("UPDATE users SET status = 'DELETED' WHERE id = 'user_1'")
        #expect(try database.number("SELECT COUNT(*) FROM merges WHERE attributes = '\(Self.pro.json)'") == 1)
        #expect(try summary().user.attributes == .none)
    }

    @Test("a merge keeps those of the user who stays, and undoing it brings back the others")
    func merge() throws {
        try add(2)
        try database.execute("UPDATE auth_accounts SET provider = 'DEV' WHERE user_id = 'user_2'")
        let (other, theirs) = (UserID("user_2"), Attributes(canonical: #"{"plan":"free"}"#))
        _ = try (set(Self.pro), set(theirs, of: other))
        let actor = SupportActor(operatorName: "o", reason: nil)
        let merge = UserMerge(of: user, into: other, by: actor, at: now)
        guard case .done = try store.merge(merge, resealing: { _, _, _ in nil }, unless: { _, _ in nil }).outcome else {
            Issue.record("not merged")
            return
        }
        #expect(try summary().user.attributes == .none && store.user(other)?.attributes == theirs)
        _ = try store.unmerge(
            user, by: actor, now: now + .seconds(1), resealing: { _, _, _ in nil }, unless: { _, _ in nil })
        #expect(try summary().user.attributes == Self.pro && store.user(other)?.attributes == theirs)
        #expect(try summary().attributesVersion > 1)
    }

    @Test("of several changes of one version at once, one is made")
    func race() async throws {
        let outcomes = try await withThrowingTaskGroup(of: AttributesOutcome.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try set(Attributes(canonical: "{\"n\":\(number)}"), expecting: [0])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let done = AttributesOutcome.done(try summary())
        #expect(outcomes.count { $0 == done } == 1)
        #expect(outcomes.count { $0 == .conflict(1) } == 7)
        #expect(try summary().attributesVersion == 1)
    }
}
