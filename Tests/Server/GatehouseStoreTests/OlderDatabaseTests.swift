import Foundation
import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("A database of an older version")
struct OlderDatabaseTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("old.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func create(version: Int, _ rows: String) throws {
        let migrations = Executable.root + "/Sources/Server/GatehouseStore/Migrations/SQLite/"
        let steps = try FileManager.default.contentsOfDirectory(atPath: migrations).sorted().prefix(version)
        let connection = try Connection(path: path, access: .readWrite)
        for step in steps {
            try connection.execute(script: String(contentsOfFile: migrations + step, encoding: .utf8))
        }
        try connection.execute(script: "PRAGMA user_version = \(version); " + rows)
    }

    @Test("a migration keeps the users, and every operation works for them")
    func migrated() throws {
        try create(
            version: 3,
            """
            INSERT INTO users (id, email, created_at, updated_at) VALUES ('user_1', 'ann@example.com', 1, 1);
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, created_at, updated_at)
            VALUES ('acct_1', 'user_1', 'APPLE', 'ann', 'ann@example.com', 1, 1);
            """)
        let store = try SQLiteStore(path: path)
        let user = try #require(try store.user(provider: .apple, subject: "ann"))
        #expect(user.email == "ann@example.com")
        let account = try #require(try store.accounts(of: user.id).first)
        #expect(account.subject == "ann" && account.isMailForwarded == nil && account.transferSubject == nil)
        let noon = SampleLogin.noon
        var identity = SampleLogin.identity("ann")
        identity.transferSubject = "T"
        var login = SampleLogin.login("1", of: user, as: identity)
        login.task = AppleTask(kind: .exchange, userID: user.id, clientID: "app", sealed: [1], dueAt: noon)
        #expect(try store.add(login) == user)
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, sealing: { _ in [2] }, of: "ann", now: noon)
        #expect(try store.accounts(of: user.id).first?.transferSubject == "T")
        let event = AuditEntry(.userDeleted, at: noon, userID: user.id)
        #expect(try store.delete(user.id, queueing: nil, recording: event)?.revocation == .queued)
    }

    @Test("after a migration from version 10, an account of any provider can be added")
    func anyProvider() throws {
        try create(
            version: 10,
            """
            INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 1, 1);
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
            VALUES ('acct_1_apple', 'user_1', 'APPLE', 'ann', 1, 1);
            """)
        let store = try SQLiteStore(path: path)
        let ann = try #require(try store.user(provider: .apple, subject: "ann"))
        let google = try #require(Provider(rawValue: "GOOGLE"))
        let bob = SampleLogin.user(2)
        let identity = Identity(provider: google, subject: "1", email: nil, unionSubject: "U")
        #expect(try store.create(bob, with: SampleLogin.login("1", of: bob, as: identity)))
        #expect(try store.accounts(of: bob.id).map(\.unionSubject) == ["U"])
        #expect(try store.accounts(of: ann.id).map(\.unionSubject) == [nil])
        #expect(throws: SQLiteError.self, "the other checks are as they were") {
            try Connection(path: path, access: .readWrite).execute(
                script: "UPDATE auth_accounts SET is_private_email = 2")
        }
    }

    @Test("the sessions of version 7 are unconfirmed, so that no client is logged out by the migration")
    func sessions() throws {
        try create(
            version: 7,
            """
            INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 1, 1);
            INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, previous_hash,
                generation, rotated_at, expires_at, created_at, updated_at)
            VALUES ('sess_1', 'user_1', 'DEV', 'app', x'02', x'00', x'01', 2, 1000, 9000, 1, 1);
            """)
        let session = try #require(try SQLiteStore(path: path).session(SessionID("sess_1"))).session
        #expect(session.confirmedAt == nil && session.repeats == 0)
        let presented = PresentedToken(
            sessionID: session.id, userID: session.userID, generation: 1, random: [],
            issuedAt: Timestamp(milliseconds: 1000), expiresAt: Timestamp(milliseconds: 2000), hash: [1])
        let decision = Rotation.decide(
            session, confirmedAt: session.confirmedAt, presented: presented, policy: .ofTests(),
            now: Timestamp(milliseconds: 8000), random: { _, _ in [] }, equal: ==)
        #expect(decision == .repeatCurrent)
    }

    @Test("of the sessions of version 17 it is not known how they were signed in, so they are of the weakest login")
    func methods() throws {
        try create(
            version: 17,
            """
            INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 1, 1);
            INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation, rotated_at,
                expires_at, created_at, updated_at)
            VALUES ('sess_1', 'user_1', 'PHONE', 'app', x'02', x'00', 1, 1000, 9000, 1, 1);
            """)
        let store = try SQLiteStore(path: path)
        #expect(try #require(try store.session(SessionID("sess_1"))).session.method == nil)
    }

    @Test("the users of version 17 get passkeys")
    func passkeys() throws {
        try create(
            version: 17,
            """
            INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 1, 1);
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
            VALUES ('acct_1_apple', 'user_1', 'APPLE', 'ann', 1, 1);
            """)
        let (store, ann, noon) = (try SQLiteStore(path: path), UserID("user_1"), SampleLogin.noon)
        #expect(try store.passkeys(of: ann).isEmpty)
        let link = NewLink(
            identity: Identity(provider: .passkey, subject: "h", email: nil), user: ann, redemption: nil, task: nil,
            event: AuditEntry(.accountLinked, at: noon, userID: ann), hasher: PlainHashes())
        let passkey = Passkey(id: "passkey_1", credentialID: [1], publicKey: [2], algorithm: -7, createdAt: noon)
        let event = AuditEntry(.passkeyAdded, at: noon, userID: ann)
        #expect(try store.record(NewPasskey(passkey, link: link, event: event)) == .add)
        #expect(try store.passkeys(of: ann) == [passkey])
        #expect(try store.accounts(of: ann).map(\.provider) == [.apple, .passkey])
    }

    @Test("the users and the audit trail of version 19 are found and counted by support")
    func support() throws {
        let noon = SampleLogin.noon
        try create(
            version: 19,
            """
            INSERT INTO users (id, nickname, created_at, updated_at) VALUES ('user_1', 'Ann', 1, 1);
            INSERT INTO audit_events (moment, kind, actor, user_id, provider)
            VALUES (\(noon.milliseconds), 'login', 'user', 'user_1', 'APPLE');
            """)
        let store = try SQLiteStore(path: path)
        #expect(try store.search(SupportSearch("an"), after: nil, limit: 2).map(\.record.user.id) == [UserID("user_1")])
        let page = try store.auditPage(AuditSelection(userID: UserID("user_1"), limit: 2))
        #expect(page.entries.map(\.reason) == [nil] && page.entries[0].entry.kind == .login)
        let counts = try store.statistics(from: noon - .seconds(7200), to: noon + .seconds(7200))
        #expect(counts.contains { $0.series == StatisticSeries(.logins, "APPLE") && $0.count == 1 })
    }
}
