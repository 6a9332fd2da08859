import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

/// The rules that every store must follow.
@Suite("The contract of a store")
struct StoreContractTests {
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws { (database, store) = try TestDatabase.opened() }

    private func reopened() throws -> any ServerStore { try database.store() }

    @Test("values are read as they were written, also after reopening the store, and by their own names alone")
    func keeps() throws {
        let user = SampleLogin.user(1, email: "a@example.com", nickname: "A")
        let login = SampleLogin.login("1", of: user, as: SampleLogin.identity("s1", email: "a@example.com"))
        #expect(try store.create(user, with: login))
        for store in [store, try reopened()] {
            #expect(try store.user(user.id) == user)
            #expect(try store.user(provider: .apple, subject: "s1") == user)
            let found = try #require(try store.session(login.session.id))
            #expect(found.session == login.session)
            #expect(found.user == user)
        }
        #expect(try store.user(provider: .dev, subject: "s1") == nil)
        #expect(try store.user(provider: .apple, subject: "S1") == nil)
        #expect(try store.user(UserID("user_2")) == nil)
        #expect(try store.session(SessionID("sess_2")) == nil)
    }

    @Test("concurrent logins with one identity create one user")
    func oneUserPerIdentity() throws {
        let created = try Concurrently.run(16) { [store] number in
            let user = SampleLogin.user(number)
            return try store.create(
                user, with: SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("same")))
        }
        #expect(created.filter { $0 }.count == 1)
        let winner = try #require(try store.user(provider: .apple, subject: "same"))
        let sessions = try (0..<16).compactMap { try store.session(SessionID("sess_\($0)")) }
        #expect(sessions.map(\.user) == Array(repeating: winner, count: 16))
    }

    @Test("a later login fills empty fields of the user, changes the address that came from it, and no other field")
    func fillsEmptyFields() throws {
        let user = SampleLogin.user(1)
        let identity = SampleLogin.identity("s1")
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        let named = SampleLogin.identity("s1", email: "first@example.com")
        let filled = try store.add(SampleLogin.login("2", of: user, as: named, nickname: "First"))
        #expect(filled?.email == "first@example.com")
        #expect(filled?.nickname == "First")
        let renamed = SampleLogin.identity("s1", email: "second@example.com")
        let kept = try store.add(SampleLogin.login("3", of: user, as: renamed, nickname: "Second"))
        #expect(kept?.email == "second@example.com")
        #expect(kept?.nickname == "First")
        #expect(try store.user(user.id) == kept)
    }

    @Test("an account has the latest value that the provider sent for each field")
    func updatesAccount() throws {
        let user = SampleLogin.user(1)
        var identity = SampleLogin.identity("s1", email: "a@example.com")
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: identity))
        let changes: [(String, (inout Identity) -> Void)] = [
            ("1", { $0.isPrivateEmail = true }), ("2", { $0.realUserStatus = 2 }), ("3", { $0.emailHint = "h" }),
            ("4", { $0.transferSubject = "T" }), ("5", { $0.email = "b@example.com" }),
            ("6", { $0.isPrivateEmail = false }),
        ]
        for (name, change) in changes {
            change(&identity)
            var bare = SampleLogin.identity("s1")
            change(&bare)
            _ = try store.add(SampleLogin.login(name, of: user, as: bare))
            let account = try #require(try store.accounts(of: user.id).first)
            #expect(account.email == identity.email && account.emailHint == identity.emailHint, "\(name)")
            #expect(account.isPrivateEmail == identity.isPrivateEmail, "\(name)")
            #expect(account.realUserStatus == identity.realUserStatus.map(Int64.init), "\(name)")
            #expect(account.transferSubject == identity.transferSubject, "\(name)")
        }
    }

    @Test("a profile change sets the given fields, clears those given as null, and keeps the others")
    func profile() throws {
        let user = SampleLogin.user(1, email: "a@example.com", nickname: "A")
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let now = SampleLogin.noon
        let url = "https://example.com/a.png"
        let named = try store.update(user.id, ProfileChange(nickname: "B", avatarURL: url), now: now)
        #expect(named?.nickname == "B")
        #expect(named?.avatarURL == url)
        #expect(named?.email == "a@example.com")
        let flagged = try store.update(
            user.id, ProfileChange(nickname: .some(nil), onboardingCompleted: true), now: now)
        #expect(flagged?.nickname == nil)
        #expect(flagged?.avatarURL == url)
        #expect(flagged?.onboardingCompleted == true)
        #expect(try store.user(user.id) == flagged)
        #expect(try store.update(UserID("user_2"), ProfileChange(nickname: "C"), now: now) == nil)
    }

    @Test("the audit trail keeps no device of a deleted user, not even from a later event")
    func lateEvents() throws {
        let user = try store.signUp()
        let device = Device(userAgent: "App/1", address: "192.0.2.1")
        let refusal = AuditEntry(.loginRefused, at: SampleLogin.noon, userID: user.id, device: device)
        try store.record([refusal])
        _ = try store.delete(user.id, recording: SampleLogin.event(.userDeleted))
        try store.record([refusal])
        let events = try store.auditEvents(of: user.id)
        #expect(events.count == 3)
        #expect(events.allSatisfy { $0.device == .unknown })
    }

    @Test("a user is deleted once, without personal data, and the identity is free for a new user")
    func deletes() throws {
        let user = SampleLogin.user(1, email: "a@example.com", nickname: "A")
        let identity = SampleLogin.identity("s1", email: "a@example.com")
        let login = SampleLogin.login("1", of: user, as: identity)
        _ = try store.create(user, with: login)
        for name in ["2", "3"] { _ = try store.add(SampleLogin.login(name, of: user, as: identity)) }
        _ = try store.revoke(SessionID("sess_2"), for: .logout, recording: SampleLogin.event())
        _ = try store.advance(SessionID("sess_3"), to: SampleLogin.token(generation: 2), now: SampleLogin.noon)
        let event = SampleLogin.event(.userDeleted)
        let alive = try #require(try store.delete(user.id, recording: event))
        #expect(Set(alive) == [login.session.id, SessionID("sess_3")])
        #expect(try store.delete(user.id, recording: event) == nil)
        #expect(try store.delete(UserID("user_2"), recording: event) == nil)
        let left = try #require(try store.user(user.id))
        #expect(left.status == .deleted)
        #expect(left.email == nil && left.nickname == nil)
        for name in ["1", "2", "3"] { #expect(try store.session(SessionID("sess_\(name)")) == nil) }
        #expect(try store.user(provider: .apple, subject: "s1") == nil)
        let next = SampleLogin.user(2)
        #expect(try store.create(next, with: SampleLogin.login("2", of: next, as: identity)))
    }

    @Test(
        "any text is stored unchanged",
        arguments: ["", "'; DROP TABLE users; --", "名前", "a\u{0301}", "\u{1F468}\u{200D}\u{1F469}", "\"\\\n\t"])
    func anyText(_ text: String) throws {
        let user = SampleLogin.user(1, email: text, nickname: text)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s" + text)))
        #expect(
            try store.user(provider: .apple, subject: "s" + text)?.nickname.map { Array($0.utf8) } == Array(text.utf8))
    }
}

@Suite("The outcome of the last write")
struct LastWriteOutcomeTests {
    @Test("an operation that writes nothing does not change it, because it also succeeds on a full disk")
    func nothing() throws {
        let database = try TestDatabase()
        let store = try database.store()
        let user = SampleLogin.user(1)
        let login = SampleLogin.login("1", of: user, as: SampleLogin.identity("s"))
        _ = try store.create(user, with: login)
        let moment = try #require(store.lastWrite?.moment)
        #expect(
            try store.refresh(login.session.id, now: SampleLogin.noon) { _, _ in .refuse(.invalidRefreshToken) } != nil)
        #expect(try !store.revoke(SessionID("sess_2"), for: .logout, recording: SampleLogin.event()))
        #expect(store.lastWrite?.moment == moment)
        #expect(try store.revoke(login.session.id, for: .logout, recording: SampleLogin.event()))
        #expect(store.lastWrite?.moment != moment)
    }
}

@Suite("Summaries of users")
struct UserSummaryTests {
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws { (database, store) = try TestDatabase.opened() }

    private func create(_ number: Int) throws -> User {
        let user = SampleLogin.user(number, nickname: "User \(number)")
        #expect(
            try store.create(
                user, with: SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)"))))
        return user
    }

    @Test("a user has the times of the last login and of the last change")
    func times() throws {
        let user = try create(1)
        #expect(
            try store.summaries(of: [user.id])
                == [UserSummary(user: user, updatedAt: user.createdAt, lastLoginAt: user.createdAt)])
        let later = user.createdAt + .seconds(60)
        let changed = try #require(try store.update(user.id, ProfileChange(nickname: "New"), now: later))
        #expect(
            try store.summaries(of: [user.id])
                == [UserSummary(user: changed, updatedAt: later, lastLoginAt: user.createdAt)])
    }

    @Test("unknown users are left out, and an empty list has none")
    func unknown() throws {
        let users = try (1...3).map { try create($0) }
        let asked = [users[2].id, UserID("user_unknown"), UserID(""), users[0].id]
        #expect(Set(try store.summaries(of: asked).map(\.user.id)) == [users[0].id, users[2].id])
        #expect(try store.summaries(of: []) == [])
        #expect(try store.summaries(of: [UserID("'; --")]) == [])
    }

    @Test("concurrent readers, more than the store has connections, each get their own users")
    func concurrent() throws {
        let users = try (0..<8).map { try create($0) }
        let found = try Concurrently.run(64) { [store] index in
            let asked = (0...(index % 8)).map { users[$0].id }
            let read = try answered { try store.summaries(of: asked) }.map(\.user).sorted { $0.id.text < $1.id.text }
            return read == Array(users[0...(index % 8)])
        }
        #expect(found.allSatisfy { $0 })
    }
}
