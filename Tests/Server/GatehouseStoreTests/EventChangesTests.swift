import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Events of changes")
struct EventChangesTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1, email: "ann@example.com")

    init() throws {
        (database, store) = try TestDatabase.opened()
        try store.register([EventSubscription(name: "shop", types: nil)], now: noon)
        _ = try store.create(
            ann, with: SampleLogin.login("1", of: ann, as: SampleLogin.identity("ann", email: "ann@example.com")))
    }

    /// What has been queued since the last call, in order.
    private func news(of receiver: String = "shop") throws -> [UserEvent.Content] {
        let found = try store.events(EventQuery(receiver: receiver, limit: 100))
        for event in found { try store.finish(event) }
        return found.map(\.event.content)
    }

    private func audit(_ kind: AuditEntry.Kind) -> AuditEntry { AuditEntry(kind, at: noon, userID: ann.id) }

    private func link(_ identity: Identity, replacing: Bool = false) throws {
        _ = try store.record(
            NewLink(
                identity: identity, user: ann.id, redemption: nil, task: nil, replaces: replacing,
                event: audit(.accountLinked), hasher: PlainHashes()))
    }

    @Test("A first login is one event, and a later one is none unless it changes the user")
    func logins() throws {
        #expect(try news() == [.created(by: .apple)])
        let identity = SampleLogin.identity("ann", email: "ann@example.com")
        _ = try store.add(SampleLogin.login("2", of: ann, as: identity, at: noon + .seconds(1)))
        #expect(try news() == [])
        _ = try store.add(SampleLogin.login("3", of: ann, as: identity, nickname: "Ann", at: noon + .seconds(2)))
        #expect(try news() == [.updated(["nickname"])])
    }

    @Test("A changed profile names the members that differ from before; an equal value is no event")
    func profile() throws {
        _ = try news()
        _ = try store.update(ann.id, ProfileChange(nickname: "Ann", onboardingCompleted: true), now: noon)
        #expect(try news() == [.updated(["nickname", "onboardingCompleted"])])
        _ = try store.update(ann.id, ProfileChange(nickname: "Ann", avatarURL: "https://example.com/a"), now: noon)
        #expect(try news() == [.updated(["avatarUrl"])])
        _ = try store.update(ann.id, ProfileChange(nickname: "Ann"), now: noon)
        #expect(try news() == [])
    }

    @Test("Operators' changes are events: role, disabling and enabling, each only if it changes something")
    func operators() throws {
        _ = try news()
        for _ in 0..<2 {
            _ = try store.setRole(.admin, of: ann.id, recording: audit(.roleChanged))
            _ = try store.disable(ann.id, recording: audit(.userDisabled))
        }
        for _ in 0..<2 { _ = try store.enable(ann.id, recording: audit(.userEnabled)) }
        #expect(try news() == [.updated(["role"]), .disabled, .enabled])
    }

    @Test("Linking and unlinking are events, and so is the number or the address that changes with them")
    func accounts() throws {
        _ = try news()
        let phone = Identity(provider: .phone, subject: "+8613800138000", email: nil)
        try link(phone)
        #expect(try news() == [.linked(.phone), .updated(["phone"])])
        try link(Identity(provider: .phone, subject: "+8613800138001", email: nil), replacing: true)
        #expect(try news() == [.unlinked(.phone), .linked(.phone), .updated(["phone"])])
        try link(Identity(provider: .phone, subject: "+8613800138001", email: nil), replacing: true)
        #expect(try news() == [], "it is linked already")
        _ = try store.unlink(.phone, of: ann.id, recording: audit(.accountUnlinked))
        #expect(try news() == [.unlinked(.phone), .updated(["phone"])])
        _ = try store.unlink(.apple, of: ann.id, recording: audit(.accountUnlinked))
        #expect(try news() == [], "it is the last one")
    }

    @Test("Deletion is one event, and a refused second one is none")
    func deletion() throws {
        _ = try news()
        for _ in 0..<2 { _ = try store.delete(ann.id, recording: audit(.userDeleted)) }
        #expect(try news() == [.deleted(joining: nil)])
    }

    @Test("Of a session, only theft is an event")
    func sessions() throws {
        _ = try news()
        let session = SampleLogin.session("1", of: ann).id
        _ = try store.revoke(session, for: .logout, recording: audit(.logout))
        #expect(try news() == [])
        for (number, reason) in [RevokeReason.codeReuse, .reuse, .key].enumerated() {
            let login = SampleLogin.login("t\(number)", of: ann, as: SampleLogin.identity("ann"))
            _ = try store.add(login)
            _ = try store.revoke(login.session.id, for: reason, recording: audit(.refreshTokenReused))
            #expect(try news() == [.sessionRevoked(login.session.id, reason)])
        }
    }

    @Test("A reused refresh token is an event in the transaction that ends the session")
    func reuse() throws {
        _ = try news()
        let session = SampleLogin.session("1", of: ann)
        _ = try store.refresh(session.id, now: noon) { session, _ in
            .end(session.ended(for: .reuse, at: noon), recording: audit(.refreshTokenReused))
        }
        #expect(try news() == [.sessionRevoked(session.id, .reuse)])
    }

    @Test("A change that fails leaves no event behind")
    func failure() throws {
        _ = try news()
        try database.execute("ALTER TABLE audit_events RENAME TO lost")
        #expect(throws: Refusal.self) { try store.disable(ann.id, recording: audit(.userDisabled)) }
        #expect(throws: Refusal.self) { try store.delete(ann.id, recording: audit(.userDeleted)) }
        #expect(try news() == [])
    }

    @Test("Without receivers, nothing is queued; a receiver gets its own types alone, each event with the same id")
    func receivers() throws {
        try database.execute("DELETE FROM events; DELETE FROM event_receivers;")
        _ = try store.disable(ann.id, recording: audit(.userDisabled))
        #expect(try database.number("SELECT count(*) FROM events") == 0)
        try store.register(
            [
                EventSubscription(name: "all", types: nil), EventSubscription(name: "deleted", types: [.userDeleted]),
                EventSubscription(name: "none", types: []),
            ], now: noon)
        _ = try store.enable(ann.id, recording: audit(.userEnabled))
        _ = try store.delete(ann.id, recording: audit(.userDeleted))
        let events = try store.events(EventQuery(limit: 10))
        #expect(events.map(\.receiver).sorted() == ["all", "all", "deleted"])
        #expect(Set(events.filter { $0.event.type == .userDeleted }.map(\.id)).count == 1)
        #expect(events.allSatisfy { $0.id.hasPrefix("evt_") && !$0.id.contains(".") })
    }

    @Test("What waits to be sent holds no personal data")
    func contents() throws {
        _ = try store.update(ann.id, ProfileChange(nickname: "Annabel", avatarURL: "https://example.com/a"), now: noon)
        let columns = ["receiver", "id", "type", "user_id", "session_id", "detail", "fault"]
        let text = try database.connection().all(
            "SELECT " + columns.map { "coalesce(\($0), '')" }.joined(separator: " || ") + " FROM events"
        ) { $0.text(0) }.joined()
        for value in ["Annabel", "example.com", "ann@"] { #expect(!text.contains(value)) }
        #expect(text.contains("nickname avatarUrl"))
    }

    @Test("The time of a change is later than that of the change before, also by a clock that is behind")
    func updatedAt() throws {
        func change(_ body: () throws -> Void) throws -> Bool {
            let before = try #require(try store.summaries(of: [ann.id]).first).updatedAt
            try body()
            return try #require(try store.summaries(of: [ann.id]).first).updatedAt > before
        }
        let early = noon - .seconds(600)
        #expect(try change { _ = try store.update(ann.id, ProfileChange(nickname: "Ann"), now: early) })
        #expect(try change { try link(Identity(provider: .phone, subject: "+8613800138000", email: nil)) })
        #expect(try change { _ = try store.unlink(.phone, of: ann.id, recording: audit(.accountUnlinked)) })
        let disabled = AuditEntry(.userDisabled, at: early, userID: ann.id)
        #expect(try change { _ = try store.disable(ann.id, recording: disabled) })
        #expect(try change { _ = try store.setRole(.admin, of: ann.id, recording: disabled) })
        #expect(try change { _ = try store.delete(ann.id, recording: disabled) })
    }
}
