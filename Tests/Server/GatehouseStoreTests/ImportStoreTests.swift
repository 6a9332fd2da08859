import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("Users in a store, imported and exported")
struct ImportStoreTests {
    private static let now = SampleLogin.noon
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws { (database, store) = try TestDatabase.opened() }

    private static func user(
        _ identities: [(String, String)], _ change: (inout UserLine) -> Void = { _ in }
    ) throws -> ImportedUser {
        var line = UserLine()
        line.identities = identities.map { provider, subject in
            var identity = IdentityLine()
            (identity.provider, identity.subject) = (provider, subject)
            return identity
        }
        change(&line)
        return try line.checked(by: ImportRules(permitsRoles: true, now: now))
    }

    private func userImport(writes: Bool = true, hasher: (any IdentityHasher)? = nil) -> UserImport {
        let platform = Platform(
            now: { Self.now }, random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } },
            equal: { $0 == $1 })
        return UserImport(
            into: store, hasher: hasher, platform: platform, operatorName: "anna (1000)", writes: writes)
    }

    private func words(_ decisions: [ImportDecision]) -> String {
        decisions.map { decision in
            switch decision {
            case .create: "+"
            case .exists: "="
            case .refuse: "!"
            }
        }.joined()
    }

    private func exported() throws -> [ExportedUser] { try store.exportedUsers(after: nil, limit: 1000) }

    @Test("a user is stored with every member, and a login with any of the identities finds them")
    func members() throws {
        let user = try Self.user([("apple", "001"), ("wechat", "o1"), ("phone", "+8613800138000")]) { line in
            line.id = "user_01J00000000000000000000000"
            line.identities[0].transferSubject = "T1"
            line.identities[0].linkedAt = "2024-06-01T00:00:00Z"
            (line.identities[0].email, line.identities[0].isPrivateEmail) = ("a@example.com", true)
            line.identities[1].unionSubject = "U1"
            (line.email, line.emailVerified, line.nickname) = ("a@example.com", true, "Ada")
            (line.avatarURL, line.role, line.status) = ("https://example.com/a", "ADMIN", "DISABLED")
            (line.createdAt, line.lastLoginAt) = ("2024-05-01T00:00:00Z", "2025-05-01T00:00:00Z")
            line.onboardingCompleted = true
        }
        var importing = userImport()
        #expect(words(try importing.add([user])) == "+")
        let stored = try #require(try exported().first)
        #expect(stored.user.id.text == "user_01J00000000000000000000000" && stored.user.phone == "+8613800138000")
        #expect(stored.user.email == "a@example.com" && stored.user.emailVerified && stored.user.nickname == "Ada")
        #expect(stored.user.role == .admin && stored.user.status == .disabled && stored.user.onboardingCompleted)
        #expect(stored.user.createdAt.description == "2024-05-01T00:00:00.000Z")
        #expect(stored.lastLoginAt?.description == "2025-05-01T00:00:00.000Z")
        // The oldest account first: the other two are as old as the user.
        #expect(stored.accounts.map(\.subject) == ["+8613800138000", "o1", "001"])
        let linked = ["2024-05-01", "2024-05-01", "2024-06-01"].map { $0 + "T00:00:00.000Z" }
        #expect(stored.accounts.map(\.linkedAt.description) == linked)
        #expect(stored.accounts.last?.transferSubject == "T1" && stored.accounts.last?.isPrivateEmail == true)
        for (provider, subject) in [(Provider.apple, "001"), (.phone, "+8613800138000")] {
            #expect(try store.user(provider: provider, subject: subject)?.id == stored.user.id)
        }
        // Another subject of the same identity finds the user as well.
        let known = try [("apple", "002", "T1", nil), ("wechat", "o2", nil, "U1")].map {
            provider, subject, transfer, union in
            try Self.user([(provider, subject)]) { line in
                (line.identities[0].transferSubject, line.identities[0].unionSubject) = (transfer, union)
            }
        }
        #expect(try importing.add(known) == [.exists(stored.user.id), .exists(stored.user.id)])
    }

    @Test("lines that exist change nothing, within a batch as well as in the next import")
    func idempotent() throws {
        let lines = [
            try Self.user([("apple", "1")]), try Self.user([("apple", "2"), ("google", "2")]),
            try Self.user([("google", "2")]) { $0.nickname = "other" },
            try Self.user([("apple", "1"), ("google", "2")]),
        ]
        var importing = userImport()
        #expect(words(try importing.add(lines)) == "++=!")
        let before = try exported()
        for _ in 0..<2 {
            #expect(words(try importing.add(lines)) == "===!")
            var again = userImport()
            #expect(words(try again.add(lines)) == "===!")
        }
        #expect(try exported() == before)
    }

    @Test("a number that an account has in another form is the number of that account")
    func otherForm() throws {
        var importing = userImport()
        let (short, long) = ("+541123456789", "+5491123456789")
        let user = SampleLogin.user(1)
        let identity = Identity(provider: .phone, subject: short, email: nil)
        #expect(try store.create(user, with: SampleLogin.login("1", of: user, as: identity)))
        for number in [short, long] {
            #expect(try importing.add([try Self.user([("phone", number)])]) == [.exists(user.id)])
        }
        #expect(words(try importing.add([try Self.user([("phone", "+551187654321")])])) == "+")
        #expect(try exported().map(\.user.phone).contains("+5511987654321"))
    }

    @Test("an id is kept unless another user has it, in the database or in an earlier line")
    func ids() throws {
        let id = "user_01J00000000000000000000000"
        let lines = try ["1", "2", "3"].map { subject in try Self.user([("apple", subject)]) { $0.id = id } }
        var importing = userImport()
        #expect(words(try importing.add(Array(lines[..<2])) + (try importing.add([lines[2]]))) == "+++")
        #expect(Set(try exported().map(\.user.id)).count == 3)
        #expect(try store.user(provider: .apple, subject: "1")?.id.text == id)
    }

    @Test("a dry run decides as an import does, and writes nothing")
    func dryRun() throws {
        var importing = userImport()
        _ = try importing.add([try Self.user([("apple", "1")])])
        let before = (try exported(), try store.auditEvents(AuditQuery(limit: 10)))
        var dry = userImport(writes: false)
        #expect(words(try dry.add([try Self.user([("apple", "1")]), try Self.user([("apple", "2")])])) == "=+")
        #expect(
            words(try dry.add([try Self.user([("apple", "2")]), try Self.user([("apple", "1"), ("google", "3")])]))
                == "==")
        #expect(
            words(try dry.add([try Self.user([("apple", "2"), ("apple", "2")]), try Self.user([("apple", "3")])]))
                == "=+")
        #expect(try exported() == before.0 && store.auditEvents(AuditQuery(limit: 10)) == before.1)
    }

    @Test("one entry of the audit trail counts the users of all batches, and each role has its own")
    func audit() throws {
        var importing = userImport()
        for batch in [1...3, 4...5] {
            _ = try importing.add(try batch.map { number in try Self.user([("apple", "\(number)")]) })
        }
        _ = try importing.add([try Self.user([("apple", "9")]) { $0.role = "SUPER_ADMIN" }])
        let events = try store.auditEvents(AuditQuery(limit: 10))
        #expect(events.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.roleChanged, .usersImported])
        #expect(events.allSatisfy { $0.actor == .operator && $0.operatorName == "anna (1000)" })
        #expect(events.first { $0.kind == .usersImported }?.count == 6)
        let admin = try store.user(provider: .apple, subject: "9")
        #expect(events.first { $0.kind == .roleChanged }?.userID == admin?.id)
        #expect(events.first { $0.kind == .roleChanged }?.detail == "SUPER_ADMIN")
    }

    @Test("an identity that was removed from a disabled user is refused")
    func barred() throws {
        let user = SampleLogin.user(1)
        #expect(try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("s1"))))
        #expect(try store.disable(user.id, recording: SampleLogin.event(.userDisabled)))
        #expect(try !store.hasBarredIdentities())
        let notification = AppleNotification(
            id: "n1", kind: .accountDeleted, subject: "s1", audience: "com.example.app",
            moment: Self.now + .seconds(60), issuedAt: Self.now + .seconds(60))
        _ = try store.apply(notification, by: .unlink, recording: SampleLogin.event(.appleNotification))
        #expect(try store.hasBarredIdentities())
        var importing = userImport(hasher: PlainHashes())
        #expect(words(try importing.add([try Self.user([("apple", "s1")]), try Self.user([("apple", "s2")])])) == "!+")
    }

    @Test("pages of an export have every user once, without the deleted")
    func pages() throws {
        var importing = userImport()
        _ = try importing.add(
            try (1...5).map { number in try Self.user([("apple", "\(number)"), ("google", "\(number)")]) })
        let all = try exported()
        #expect(try store.delete(all[1].user.id, queueing: nil, recording: SampleLogin.event(.userDeleted)) != nil)
        var (found, last) = ([UserID](), UserID?.none)
        while let page = Optional(try store.exportedUsers(after: last, limit: 2)), !page.isEmpty {
            #expect(page.allSatisfy { $0.accounts.count == 2 })
            found += page.map(\.user.id)
            last = found.last
        }
        #expect(found == all.map(\.user.id).filter { $0 != all[1].user.id })
    }

    @Test("two imports and logins of the same identities at the same time create each user once")
    func concurrent() throws {
        let users = try (0..<40).map { number in try Self.user([("apple", "s\(number)"), ("google", "g\(number)")]) }
        _ = try Concurrently.run(6) { number in
            if number < 3 {
                var importing = userImport()
                let order = number == 1 ? users.reversed() : users
                for start in stride(from: 0, to: users.count, by: 10) {
                    _ = try importing.add(Array(order[start..<start + 10]))
                }
            } else {
                for index in 0..<40 {
                    let user = SampleLogin.user(1000 * number + index)
                    let login = SampleLogin.login("\(number) \(index)", of: user, as: SampleLogin.identity("s\(index)"))
                    _ = try store.create(user, with: login)
                }
            }
        }
        #expect(try database.number("SELECT count(*) FROM users") == 40)
        #expect(try database.number("SELECT count(*) FROM auth_accounts WHERE provider = 'APPLE'") == 40)
    }
}
