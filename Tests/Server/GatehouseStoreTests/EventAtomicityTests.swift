import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import Gatehouse

/// Each kind of change that is told to other services.
private enum Change: String, CaseIterable {
    case firstLogin, firstLoginByUnion, login, profile, role, disabling, enabling, linking, replacing, unlinking
    case deletion, join, reuse, anotherKey, codeReuse, reuseAtRefresh, consentRevoked
}

/// A failure of the second write stands for a process that ends between the two: in one transaction, neither is kept.
@Suite("A change and its event are one transaction")
struct EventAtomicityTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let bea = SampleLogin.user(2)
    private let phone = Identity(provider: .phone, subject: "+8613800138000", email: nil)
    private let session = SessionID("sess_1")

    init() throws {
        (database, store) = try TestDatabase.opened()
        for number in 1...2 { try store.signUp(number) }
        try link(phone, to: bea)
    }

    @Test("What cannot be told does not happen", arguments: Change.allCases)
    private func eventFails(change: Change) throws {
        try prepare(change)
        let before = try content()
        try database.execute("ALTER TABLE event_receivers RENAME TO lost")
        #expect(throws: (any Error).self) { try perform(change) }
        try database.execute("ALTER TABLE lost RENAME TO event_receivers")
        #expect(try content() == before)
        try perform(change)
        #expect(try content() != before && !events().isEmpty)
    }

    /// A new name has no entry in the audit trail.
    @Test("What does not happen is not told", arguments: Change.allCases.filter { $0 != .profile })
    private func changeFails(change: Change) throws {
        try prepare(change)
        let before = try content()
        try database.execute("ALTER TABLE audit_events RENAME TO lost")
        #expect(throws: (any Error).self) { try perform(change) }
        try database.execute("ALTER TABLE lost RENAME TO audit_events")
        #expect(try content() == before && events().isEmpty)
    }

    private func prepare(_ change: Change) throws {
        if change == .enabling { _ = try store.disable(ann.id, recording: audit(.userDisabled)) }
        if change == .replacing || change == .unlinking {
            try link(Identity(provider: .phone, subject: "+8613800138001", email: nil), to: ann)
        }
        try store.register([EventSubscription(name: "shop", types: nil)], now: noon)
    }

    private func perform(_ change: Change) throws {
        let apple = SampleLogin.identity("s1")
        switch change {
        case .firstLogin: try store.signUp(3)
        case .firstLoginByUnion:
            var identity = SampleLogin.identity("s3")
            identity.unionSubject = "u3"
            _ = try store.add(SampleLogin.login("3", of: SampleLogin.user(3), as: identity))
        case .login: _ = try store.add(SampleLogin.login("3", of: ann, as: apple, nickname: "Ann"))
        case .profile: _ = try store.update(ann.id, ProfileChange(nickname: "Ann"), now: noon)
        case .role: _ = try store.setRole(.admin, of: ann.id, recording: audit(.roleChanged))
        case .disabling: _ = try store.disable(ann.id, recording: audit(.userDisabled))
        case .enabling: _ = try store.enable(ann.id, recording: audit(.userEnabled))
        case .linking, .replacing:
            try link(Identity(provider: .phone, subject: "+8613800138002", email: nil), to: ann, replacing: true)
        case .unlinking: _ = try store.unlink(.phone, of: ann.id, recording: audit(.accountUnlinked))
        case .deletion: _ = try store.delete(ann.id, recording: audit(.userDeleted))
        case .join: try join()
        case .reuse: _ = try store.revoke(session, for: .reuse, recording: audit(.refreshTokenReused))
        case .anotherKey: _ = try store.revoke(session, for: .key, recording: audit(.refreshTokenReused))
        case .codeReuse: _ = try store.revoke(session, for: .codeReuse, recording: audit(.refreshTokenReused))
        case .reuseAtRefresh:
            _ = try store.refresh(session, now: noon) { session, _ in
                .end(session.ended(for: .reuse, at: noon), recording: audit(.refreshTokenReused))
            }
        case .consentRevoked:
            let moment = noon + .seconds(60)
            _ = try store.apply(
                AppleNotification(
                    id: "n1", kind: .accountDeleted, subject: "s1", audience: "app", moment: moment, issuedAt: moment,
                    email: nil),
                by: .delete, recording: audit(.appleNotification))
        }
    }

    private func audit(_ kind: AuditEntry.Kind) -> AuditEntry { AuditEntry(kind, at: noon, userID: ann.id) }

    private func link(_ identity: Identity, to user: User, replacing: Bool = false) throws {
        _ = try store.record(
            NewLink(
                identity: identity, user: user.id, redemption: nil, task: nil, replaces: replacing,
                event: AuditEntry(.accountLinked, at: noon, userID: user.id), hasher: PlainHashes()))
    }

    /// Ann joins Bea, by Bea's number.
    private func join() throws {
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(3600))
        let join = Join(
            identity: phone, redemption: redemption, caller: ann.id, session: session, refreshTokenHash: [1, 1],
            moment: noon,
            device: Device(userAgent: "App/1", address: "192.0.2.1"))
        let accepted = AcceptedJoin(
            user: bea, session: SampleLogin.session("3", of: bea), refreshToken: "", events: [audit(.accountLinked)],
            notices: [])
        _ = try store.record(
            join, limit: 10, resealing: { sealed, _ in sealed }, by: { _ in .join(accepted) })
    }

    private func events() throws -> [QueuedEvent] { try store.events(EventQuery(limit: 10)) }

    private func content() throws -> [String] {
        let connection = try database.connection()
        return try [
            """
            SELECT id || status || role || coalesce(nickname, '-') || coalesce(phone, '-') || updated_at
            FROM users ORDER BY id
            """,
            "SELECT user_id || provider || coalesce(provider_user_id, '-') FROM auth_accounts ORDER BY 1",
            "SELECT id || user_id || coalesce(revoke_reason, '-') FROM refresh_tokens ORDER BY id",
            "SELECT CAST(count(*) AS TEXT) FROM audit_events",
        ].flatMap { query in try connection.all(query) { $0.text(0) } }
    }
}
