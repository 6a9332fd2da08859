import SQL
import StoreSupport
import TestSupport
import Testing

@testable import Gatehouse
@testable import GatehouseStore

@Suite("The store of support")
struct SupportStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let now = SampleLogin.noon + .seconds(60)

    init() throws {
        (database, store) = try TestDatabase.opened()
    }

    @discardableResult
    private func add(
        _ number: Int, email: String? = nil, nickname: String? = nil, provider: Provider = .apple, role: Role = .user
    ) throws -> User {
        var user = SampleLogin.user(number, email: email, nickname: nickname)
        user.role = role
        let identity = Identity(provider: provider, subject: "s\(number)", email: email)
        #expect(try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity)))
        try database.execute("UPDATE users SET role = '\(role.rawValue)' WHERE id = 'user_\(number)'")
        return user
    }

    private func addUser(_ id: Timestamp, at moment: Timestamp) throws {
        let id = ULID.make("user", at: id, random: [UInt8](repeating: 0, count: ULID.randomBytes))
        try database.execute(
            "INSERT INTO users (id, created_at, updated_at) VALUES ('\(id)', \(moment.milliseconds), 1)")
    }

    private func actor(_ number: Int) throws -> SupportActor {
        let (session, user) = try #require(try store.session(SessionID("sess_\(number)")))
        return SupportActor(
            Administrator(user: user, session: session, requestID: "r", demanded: .single), reason: "a reason")
    }

    private func perform(_ act: SupportAct, on target: Int, by number: Int) throws -> SupportOutcome {
        let actor = try actor(number)
        return try store.perform(
            act, on: UserID("user_\(target)"), by: actor,
            recording: actor.entry(.roleChanged, at: now, of: UserID("user_\(target)"))
        ) { actor, target in act.kind.refusal(to: actor, on: target) }
    }

    // MARK: Acts

    @Test("an act is recorded with who, why and the id of the request; one that changes nothing is not")
    func acts() throws {
        try add(1, role: .admin)
        try add(2)
        guard case .done(true, let ended) = try perform(.disable, on: 2, by: 1) else {
            Issue.record("not disabled")
            return
        }
        #expect(ended.map(\.id.text) == ["sess_2"])
        guard case .done(false, _) = try perform(.disable, on: 2, by: 1) else {
            Issue.record("disabled twice")
            return
        }
        let entries = try store.auditPage(AuditSelection(actor: "user_1", limit: 9)).entries
        #expect(entries.count == 1 && entries[0].reason == "a reason" && entries[0].requestID == "r")
        #expect(entries[0].entry.actor == .administrator && entries[0].entry.userID == UserID("user_2"))
        guard case .unknownUser = try perform(.disable, on: 9, by: 1) else {
            Issue.record("an unknown user")
            return
        }
    }

    @Test("a session of another user is not ended")
    func foreignSession() throws {
        try add(1, role: .admin)
        try add(2)
        try add(3)
        guard case .done(false, _) = try perform(.signOut(SessionID("sess_3")), on: 2, by: 1),
            case .done(true, _) = try perform(.signOut(SessionID("sess_2")), on: 2, by: 1)
        else {
            Issue.record("the session of user 3 ended, or the one of user 2 did not")
            return
        }
        #expect(try store.session(SessionID("sess_3"))?.session.revokedAt == nil)
    }

    @Test("an administrator who was disabled, has lost the role or was signed out meanwhile does nothing")
    func lateActor() throws {
        let losses = [
            "UPDATE users SET role = 'USER' WHERE id = 'user_1'",
            "UPDATE users SET status = 'DISABLED' WHERE id = 'user_1'",
            "UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked' WHERE id = 'sess_1'",
        ]
        try add(1, role: .superAdmin)
        try add(2)
        let actor = try actor(1)
        for loss in losses {
            try database.execute(loss)
            let outcome = try store.perform(
                .disable, on: UserID("user_2"), by: actor, recording: actor.entry(.userDisabled, at: now)
            ) { _, _ in nil }
            guard case .refused(.sessionRevoked) = outcome else {
                Issue.record("\(loss): \(outcome)")
                return
            }
            try database.execute("UPDATE users SET role = 'SUPER_ADMIN', status = 'ACTIVE' WHERE id = 'user_1'")
        }
        #expect(try store.user(UserID("user_2"))?.status == .active)
    }

    @Test("of two administrators who take the role from each other at the same moment, one keeps it")
    func race() throws {
        for round in 0..<10 {
            let (one, other) = (2 * round + 1, 2 * round + 2)
            try add(one, role: .superAdmin)
            try add(other, role: .superAdmin)
            let actors = [try actor(one), try actor(other)]
            let changed = try Concurrently.run(2) { [store, now] index in
                let target = UserID("user_\(index == 0 ? other : one)")
                let entry = actors[index].entry(.roleChanged, at: now, of: target)
                let outcome = try store.perform(
                    .role(.user), on: target, by: actors[index], recording: entry
                ) { actor, target in SupportActKind.role.refusal(to: actor, on: target) }
                if case .done(true, _) = outcome { return true }
                return false
            }
            #expect(changed.filter { $0 }.count == 1)
            #expect(
                try database.number(
                    "SELECT count(*) FROM users WHERE role = 'SUPER_ADMIN' AND id IN ('user_\(one)', 'user_\(other)')")
                    == 1)
        }
    }

    // MARK: Searches

    @Test("users are found by id, number, address, subject and nickname, each once")
    func searches() throws {
        try add(1, email: "Ada@Example.com", nickname: "Ada")
        try add(2, email: "ada@example.com", nickname: "adam")
        try add(3, nickname: "ADA 名")
        try database.execute(
            """
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at) VALUES
                ('a', 'user_3', 'PHONE', '+8613800138000', 1, 1);
            UPDATE auth_accounts SET union_sub = 'union' WHERE user_id = 'user_2';
            UPDATE auth_accounts SET former_sub = 'before' WHERE user_id = 'user_1';
            """)
        func found(_ text: String) throws -> [String] {
            try store.search(SupportSearch(text), after: nil, limit: 9).map {
                "\($0.record.user.id.text) \($0.way?.rawValue ?? "")"
            }
        }
        #expect(try found("user_2") == ["user_2 id"])
        #expect(try found("+86 138 0013 8000") == ["user_3 phone"])
        #expect(try found("ADA@example.com") == ["user_1 email", "user_2 email"])
        #expect(try found("s2") == ["user_2 subject"])
        #expect(try found("apple:s2") == ["user_2 subject"])
        #expect(try found("phone:s2") == [])
        #expect(try found("union") == ["user_2 subject"])
        #expect(try found("before") == ["user_1 subject"])
        #expect(try found("ada") == ["user_1 nickname", "user_3 nickname", "user_2 nickname"])
        #expect(try found("ada 名") == ["user_3 nickname"])
        for text in ["", "%", "_da", "da", "ada%", "'"] where text != "" { #expect(try found(text) == [], "\(text)") }
        try database.execute("UPDATE users SET nickname = 's2' WHERE id = 'user_3'")
        #expect(try found("s2") == ["user_2 subject", "user_3 nickname"])
    }

    @Test("pages hold every user once, while users of pages before are deleted and others come")
    func pages() throws {
        for number in 100..<160 { try add(number, nickname: number % 2 == 0 ? "same" : "Same \(number)") }
        var (seen, cursor): ([String], NicknameCursor?) = ([], nil)
        repeat {
            let page = try store.search(SupportSearch("same"), after: cursor, limit: 7).map(\.record.user)
            seen += page.map(\.id.text)
            cursor =
                page.count < 7
                ? nil : page.last.map { NicknameCursor(nickname: $0.nickname?.withLowerASCII ?? "", user: $0.id) }
            if let id = page.first?.id { _ = try store.delete(id, recording: SampleLogin.event(.userDeleted)) }
            try add(seen.count + 1000, nickname: "a before")
        } while cursor != nil
        #expect(seen.count == 60 && Set(seen).count == 60)
    }

    @Test("pages of the audit trail hold every entry once, with each filter")
    func audit() throws {
        try add(1, role: .admin)
        let actor = try actor(1)
        for number in 0..<40 {
            let user = UserID("user_\(number % 2)")
            if number % 4 == 0 {
                try store.record(actor.entry(.userViewed, at: now, of: user))
            } else {
                try store.record([AuditEntry(number % 5 == 0 ? .logout : .login, at: now, userID: user)])
            }
        }
        func all(_ selection: AuditSelection) throws -> [NumberedEntry] {
            var (selection, found): (AuditSelection, [NumberedEntry]) = (selection, [])
            while true {
                let page = try store.auditPage(selection)
                found += page.entries
                guard let next = page.next else { return found }
                selection.before = next
                try store.record([AuditEntry(.login, at: now, userID: UserID("user_1"))])
            }
        }
        let everything = try all(AuditSelection(limit: 7))
        #expect(everything.map(\.number) == Array(Set(everything.map(\.number))).sorted(by: >))
        #expect(everything.count >= 41)
        #expect(try all(AuditSelection(userID: UserID("user_0"), limit: 3)).count == 20)
        #expect(try all(AuditSelection(actor: "user_1", limit: 3)).count == 10)
        #expect(try all(AuditSelection(userID: UserID("user_0"), kinds: [.userViewed], limit: 3)).count == 10)
        #expect(try all(AuditSelection(userID: UserID("user_1"), actor: "user_1", limit: 3)).count == 0)
        #expect(try all(AuditSelection(kinds: [.logout, .usersMerged], limit: 3)).count == 6)
    }

    @Test("an export holds every entry once, with the reasons")
    func export() throws {
        try add(1, role: .admin)
        try store.record(try actor(1).entry(.userViewed, at: now, of: UserID("user_1")))
        let last = try store.lastSettledEntry()
        try store.record([SampleLogin.event()])
        let entries = try store.auditEntries(after: 0, through: last, limit: 100)
        #expect(entries.map(\.entry.kind) == [.login, .userViewed] && entries[1].reason == "a reason")
        let rest = try store.auditEntries(after: last, through: try store.lastSettledEntry(), limit: 100)
        #expect(rest.map(\.entry.kind) == [.logout])
    }

    // MARK: Statistics

    @Test("numbers of an hour are the same before and after maintenance has counted them, and after a second time")
    func statistics() throws {
        try add(1)
        let later = now + .seconds(7200)
        var refused = AuditEntry(.loginRefused, at: now, provider: .apple, detail: "audience")
        refused.count = 5
        try store.record([
            refused, AuditEntry(.logout, at: later), AuditEntry(.codeRefused, at: now, provider: .phone),
            AuditEntry(.userViewed, at: now),
        ])
        try database.execute(
            """
            INSERT INTO code_sends (moment, code, provider, address, used) VALUES
                (\(now.milliseconds), \(TestDatabase.isOnServer ? "'\\x00'" : "x'00'"), 'PHONE',
                    \(TestDatabase.isOnServer ? "'\\x00'" : "x'00'"), \(TestDatabase.isOnServer ? "TRUE" : "1")),
                (\(now.milliseconds), \(TestDatabase.isOnServer ? "'\\x00'" : "x'00'"), 'PHONE',
                    \(TestDatabase.isOnServer ? "'\\x00'" : "x'00'"), \(TestDatabase.isOnServer ? "FALSE" : "0"))
            """)
        // The id of a user sorts by creation; those of samples do not, and are never passed.
        try addUser(now, at: now)
        try database.execute("UPDATE refresh_tokens SET revoked_at = 1 WHERE id = 'none'")
        func numbers() throws -> [String: Int64] {
            let start = SampleLogin.noon - .seconds(3600 * 24)
            return try store.statistics(from: start, to: start + .seconds(3600 * 48)).reduce(into: [:]) {
                $0["\($1.series.name.rawValue) \($1.series.key)", default: 0] += $1.count
            }
        }
        let before = try numbers()
        #expect(
            before == [
                "logins APPLE": 1, "sessions opened": 1, "sessions ended": 1, "refusals audience": 5,
                "codes PHONE sent": 2, "codes PHONE used": 1, "codes PHONE refused": 1, "users new": 2,
            ])
        for hours in [1, 3, 3] {
            let time = now + .seconds(3600 * hours)
            while try store.countNow(time) {}
            #expect(try numbers() == before, "\(hours)")
        }
        #expect(try database.number("SELECT count(*) FROM statistics WHERE id < 'cursor'") > 5)
        #expect(try database.number("SELECT count(*) FROM statistics WHERE id >= 'cursor'") == 3)
    }

    @Test("rows are counted also after a table was emptied and its numbers begin at 1 again")
    func emptied() throws {
        try store.record([AuditEntry(.logout, at: now), AuditEntry(.logout, at: now), AuditEntry(.logout, at: now)])
        func numbers() throws -> Int64 {
            try store.statistics(from: now - .seconds(7200), to: now + .seconds(7200)).filter {
                $0.series == StatisticSeries(.sessions, "ended")
            }.reduce(0) { $0 + $1.count }
        }
        while try store.countNow(now + .seconds(3600)) {}
        try database.execute("DELETE FROM audit_events")
        try store.record([AuditEntry(.logout, at: now)])
        #expect(try numbers() == 4)
        for _ in 0..<2 { while try store.countNow(now + .seconds(3600)) {} }
        try database.execute("DELETE FROM audit_events")
        #expect(try numbers() == 4)
    }

    @Test("an imported id of the future does not end the counting of new users")
    func futureID() throws {
        func numbers() throws -> Int64 {
            try store.statistics(from: now - .seconds(7200), to: now + .seconds(7200)).filter {
                $0.series == StatisticSeries(.users, "new")
            }.reduce(0) { $0 + $1.count }
        }
        try addUser(now, at: now)
        try addUser(now + .seconds(86_400 * 3650), at: now)
        while try store.countNow(now + .seconds(3600)) {}
        #expect(try numbers() == 2)
        try addUser(now + .seconds(3601), at: now + .seconds(3601))
        while try store.countNow(now + .seconds(7200)) {}
        #expect(try numbers() == 3)
    }

    // MARK: Merges

    @Test("undoing a merge tells each node that the other user has no phone number any more")
    func lostNumber() throws {
        try add(1, role: .superAdmin)
        let (user, other) = (try add(2, provider: .phone).id, try add(3).id)
        let actor = try actor(1)
        let merge = UserMerge(of: user, into: other, by: actor, at: now)
        let reseal: Reseal = { _, _, _ in nil }
        guard case .done = try store.merge(merge, resealing: reseal, unless: { _, _ in nil }).outcome else {
            Issue.record("not merged")
            return
        }
        func logged() throws -> Int64? {
            try database.number("SELECT count(*) FROM revocations WHERE user_id = '\(other.text)'")
        }
        #expect(try logged() == 0)
        let undone = try store.unmerge(user, by: actor, now: now + .seconds(1), resealing: reseal) { _, _ in nil }
        guard case .done = undone.outcome else {
            Issue.record("not undone: \(undone.outcome)")
            return
        }
        #expect(try logged() == 1)
    }
}
