import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

/// The rules that every store must follow.
@Suite("The contract of a store")
struct StoreContractTests {
    private let folder: TemporaryFolder
    private let store: any OperatorStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("gatehouse.db"))
    }

    private func reopened() throws -> any OperatorStore { try SQLiteStore(path: folder.file("gatehouse.db")) }

    @Test("values are read as they were written, also after reopening the store")
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
    }

    @Test("a user is not found by another provider, another subject or another ID")
    func strangers() throws {
        let user = SampleLogin.user(1)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
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

    @Test("a login of a disabled user opens no session, and returns the user")
    func disabledUser() throws {
        var user = SampleLogin.user(1)
        let identity = SampleLogin.identity("s1")
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        #expect(try store.disable(user.id, recording: SampleLogin.event(.userDisabled)))
        user.status = .disabled
        let outcome = try store.record(Login(identity: identity, nickname: "N", moment: SampleLogin.noon), limit: 100) {
            known in
            Issue.record("a session was requested for \(String(describing: known))")
            return NewSession(of: user, SampleLogin.session("2", of: user))
        }
        #expect(outcome == .inactive(user))
        #expect(try store.user(user.id) == user)
    }

    @Test("a decision changes the session that it was made for, but no missing session and none that has ended")
    func change() throws {
        let user = SampleLogin.user(1)
        let session = SampleLogin.session("1", of: user)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let noon = SampleLogin.noon
        let left = try #require(try store.change(session.id, now: noon) { _, _ in nil })
        #expect(left.session == session && left.user == user && left.change == nil)
        let ended = try #require(
            try store.change(session.id, now: noon) { seen, owner in
                #expect(seen == session && owner == user)
                return .end(.reuse, recording: SampleLogin.event(.refreshTokenReused))
            })
        #expect(ended.session == session && ended.change != nil)
        #expect(try store.session(session.id)?.session.revokeReason == .reuse)
        #expect(try store.auditEvents(of: user.id).isEmpty == false)
        let late = try store.change(session.id, now: noon) { _, _ in .end(.logout, recording: SampleLogin.event()) }
        #expect(late?.change == nil && late?.session.revokeReason == .reuse)
        #expect(try store.change(SessionID("sess_2"), now: noon) { _, _ in nil } == nil)
    }

    @Test("concurrent advances from the same generation advance a session once")
    func oneAdvance() throws {
        let user = SampleLogin.user(1)
        let session = SampleLogin.session("1", of: user)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let advanced = try Concurrently.run(64) { [store] number in
            let token = SessionToken(
                generation: 2, random: [UInt8(number)], issuedAt: SampleLogin.noon,
                expiresAt: SampleLogin.noon + .seconds(60), hash: [UInt8(number)])
            return try store.advance(session.id, to: token, now: SampleLogin.noon) ? number : nil
        }
        let winners = advanced.compactMap { $0 }
        #expect(winners.count == 1)
        let after = try #require(try store.session(session.id)).session
        #expect(after.token.generation == 2)
        #expect(after.token.hash == winners.map { UInt8($0) })
        #expect(after.previousHash == session.token.hash)
    }

    @Test(
        "a session that has ended does not advance, and no generation is skipped or repeated",
        arguments: [1, 3] as [Int64])
    func noOtherAdvance(_ generation: Int64) throws {
        let user = SampleLogin.user(1)
        let id = SampleLogin.session("1", of: user).id
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let now = SampleLogin.noon
        #expect(try !store.advance(id, to: SampleLogin.token(generation: generation), now: now))
        #expect(try store.revoke(id, for: .logout, recording: SampleLogin.event(at: now)))
        #expect(try !store.advance(id, to: SampleLogin.token(generation: 2), now: now))
        #expect(try store.session(id)?.session.token.generation == 1)
    }

    @Test("a confirmation is kept for its generation only, and the first one counts")
    func confirmation() throws {
        let user = SampleLogin.user(1)
        let id = SampleLogin.session("1", of: user).id
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let noon = SampleLogin.noon
        func confirmedAt() throws -> Timestamp? { try store.session(id)?.session.confirmedAt }
        func confirm(_ generation: Int64, at moment: Timestamp) throws {
            try store.confirm([TokenConfirmation(sessionID: id, generation: generation, moment: moment)])
        }
        #expect(try store.advance(id, to: SampleLogin.token(generation: 2), now: noon))
        for other in [1, 3] as [Int64] { try confirm(other, at: noon) }
        #expect(try confirmedAt() == nil)
        try confirm(2, at: noon + .seconds(1))
        try confirm(2, at: noon + .seconds(2))
        #expect(try confirmedAt() == noon + .seconds(1))
        #expect(try store.advance(id, to: SampleLogin.token(generation: 3), now: noon))
        #expect(try confirmedAt() == nil)
        try store.confirm([TokenConfirmation(sessionID: SessionID("sess_none"), generation: 3, moment: noon)])
        _ = try store.revoke(id, for: .logout, recording: SampleLogin.event(at: noon))
        try confirm(3, at: noon)
        #expect(try confirmedAt() == nil)
    }

    @Test("repeats are counted for their generation only, with the device of the last one")
    func repeats() throws {
        let user = SampleLogin.user(1)
        let id = SampleLogin.session("1", of: user).id
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let now = SampleLogin.noon
        #expect(try store.advance(id, to: SampleLogin.token(generation: 2), now: now))
        let phone = Device(userAgent: "Phone/1", address: "192.0.2.1")
        for (generation, isCounted) in [(2, true), (2, true), (1, false), (3, false)] as [(Int64, Bool)] {
            let change = try store.change(id, now: now) { _, _ in .countRepeat(of: generation, from: phone) }?.change
            #expect((change != nil) == isCounted)
        }
        let session = try #require(try store.session(id)).session
        #expect(session.repeats == 2 && session.lastDevice == phone)
        #expect(try store.advance(id, to: SampleLogin.token(generation: 3), now: now))
        #expect(try store.session(id)?.session.repeats == 0)
    }

    @Test("a session ends once, with the first reason")
    func revokesOnce() throws {
        let user = SampleLogin.user(1)
        let id = SampleLogin.session("1", of: user).id
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        #expect(try store.revoke(id, for: .reuse, recording: SampleLogin.event(at: SampleLogin.noon + .seconds(1))))
        #expect(try !store.revoke(id, for: .logout, recording: SampleLogin.event(at: SampleLogin.noon + .seconds(2))))
        #expect(
            try !store.revoke(SessionID("sess_none"), for: .logout, recording: SampleLogin.event(at: SampleLogin.noon)))
        let ended = try #require(try store.session(id)).session
        #expect(ended.revokeReason == .reuse)
        #expect(ended.revokedAt == SampleLogin.noon + .seconds(1))
    }

    @Test("every active session of a user is revoked once, and its ID is returned")
    func revokesAll() throws {
        let users = [SampleLogin.user(1), SampleLogin.user(2)]
        for user in users {
            let identity = SampleLogin.identity(user.id.text)
            _ = try store.create(user, with: SampleLogin.login("\(user.id.text)-0", of: user, as: identity))
            for number in 1..<3 {
                _ = try store.add(SampleLogin.login("\(user.id.text)-\(number)", of: user, as: identity))
            }
        }
        _ = try store.revoke(SessionID("sess_user_1-0"), for: .logout, recording: SampleLogin.event())
        let event = SampleLogin.event(.logoutEverywhere)
        let ended = try store.revokeAll(of: users[0].id, for: .logoutEverywhere, recording: event)
        #expect(Set(ended.map(\.text)) == ["sess_user_1-1", "sess_user_1-2"])
        #expect(try store.revokeAll(of: users[0].id, for: .logoutEverywhere, recording: event).isEmpty)
        #expect(try store.session(SessionID("sess_user_1-0"))?.session.revokeReason == .logout)
        #expect(try store.sessions(of: users[0].id, aliveAt: SampleLogin.noon).isEmpty)
        #expect(try store.sessions(of: users[1].id, aliveAt: SampleLogin.noon).count == 3)
        #expect(try store.sessions(of: users[1].id, aliveAt: SampleLogin.noon + .seconds(3600)).isEmpty)
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
        let user = SampleLogin.user(1)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1")))
        let device = Device(userAgent: "App/1", address: "192.0.2.1")
        let refusal = AuditEvent(.loginRefused, at: SampleLogin.noon, userID: user.id, device: device)
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
