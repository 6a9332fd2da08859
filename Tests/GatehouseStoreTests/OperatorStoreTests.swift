import Gatehouse
import GatehouseStore
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("Beside a server")
struct OperatorStoreTests {
    private let folder: TemporaryFolder
    private let server: SQLiteStore
    private let beside: SQLiteStore
    private var path: String { folder.file("gatehouse.db") }

    init() throws {
        folder = try TemporaryFolder()
        server = try SQLiteStore(path: folder.file("gatehouse.db"))
        beside = try SQLiteStore(besideServerAt: folder.file("gatehouse.db"))
    }

    @discardableResult
    private func add(_ number: Int, email: String? = nil) throws -> User {
        let user = SampleLogin.user(number, email: email)
        let identity = SampleLogin.identity("s\(number)", email: email)
        #expect(try server.create(user, with: SampleLogin.login("\(number)", of: user, as: identity)))
        return user
    }

    /// Lets a session live on by the clock that SQLite goes by.
    private func lengthen(_ session: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.run("UPDATE refresh_tokens SET expires_at = 4000000000000 WHERE id = ?", .text(session))
    }

    private func news(after place: Int64 = 0) throws -> [Revocation.Subject] {
        try server.revocations(after: place).map(\.subject)
    }

    @Test("a sign is seen by the server, and by nobody before it is given")
    func sign() throws {
        let before = server.revocationSign
        #expect(try beside.disable(try add(1).id, noting: SampleLogin.event(.userDisabled)))
        #expect(server.revocationSign == before)
        beside.signRevocation()
        #expect(server.revocationSign != before)
    }

    @Test("every change of a standing is in the log, with the standing of now")
    func standings() throws {
        let user = try add(1).id
        #expect(try beside.setRole(.admin, of: user, noting: SampleLogin.event(.roleChanged)))
        #expect(try news() == [.user(user, Standing(role: .admin, status: .active))])
        #expect(try beside.disable(user, noting: SampleLogin.event(.userDisabled)))
        let disabled = Standing(role: .admin, status: .disabled)
        #expect(
            try news() == [.user(user, disabled), .user(user, disabled), .session(SessionID("sess_1"))])
        #expect(try beside.enable(user, noting: SampleLogin.event(.userEnabled)))
        #expect(try news(after: 3) == [.user(user, Standing(role: .admin, status: .active))])
        #expect(try beside.delete(user, noting: SampleLogin.event(.userDeleted)) == [], "it had ended")
        #expect(try news(after: 4) == [.user(user, Standing(role: .admin, status: .deleted))])
    }

    @Test("what changes nothing leaves no entry in the log, nor in the audit trail")
    func nothing() throws {
        let user = try add(1).id
        let before = try server.auditEvents(AuditQuery(limit: 10))
        #expect(try !beside.enable(user, noting: SampleLogin.event(.userEnabled)))
        #expect(try !beside.setRole(.user, of: user, noting: SampleLogin.event(.roleChanged)))
        #expect(try !beside.disable(UserID("user_9"), noting: SampleLogin.event(.userDisabled)))
        #expect(try !beside.setRole(.admin, of: UserID("user_9"), noting: SampleLogin.event(.roleChanged)))
        try Connection(path: path, access: .readWrite).execute(script: "UPDATE users SET nickname = 'x'")
        #expect(try news().isEmpty)
        #expect(try server.auditEvents(AuditQuery(limit: 10)) == before)
    }

    @Test(
        "what somebody does by hand is in the log as well",
        arguments: [
            ("UPDATE users SET status = 'DISABLED'", "disabled"), ("UPDATE users SET role = 'ADMIN'", "admin"),
            ("UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked'", "session"),
            ("DELETE FROM refresh_tokens", "session"),
            ("DELETE FROM refresh_tokens; DELETE FROM auth_accounts; DELETE FROM users", "session deleted"),
        ])
    func byHand(sql: String, means: String) throws {
        let user = try add(1).id
        try lengthen("sess_1")
        try Connection(path: path, access: .readWrite).execute(script: sql)
        let expected: [String: Revocation.Subject] = [
            "disabled": .user(user, Standing(role: .user, status: .disabled)),
            "admin": .user(user, Standing(role: .admin, status: .active)),
            "session": .session(SessionID("sess_1")),
            "deleted": .user(user, Standing(role: .user, status: .deleted)),
        ]
        #expect(try news() == means.split(separator: " ").compactMap { expected[String($0)] })
    }

    @Test("a session that is over by itself leaves without a word")
    func expired() throws {
        try add(1)
        try Connection(path: path, access: .readWrite).execute(
            script: "UPDATE refresh_tokens SET expires_at = 1; DELETE FROM refresh_tokens")
        #expect(try news().isEmpty)
    }

    @Test("addresses are the same in whatever case, and nothing but the same address is the same")
    func addresses() throws {
        for (number, email) in ["Ada@Example.com", "ada@example.com", "émile@example.com", nil].enumerated() {
            try add(number, email: email)
        }
        func found(_ name: String) throws -> [String] { try beside.users(called: name).map(\.record.user.id.text) }
        #expect(try found("ADA@example.COM") == ["user_0", "user_1"])
        #expect(try found("ÉMILE@example.com") == ["user_2"])
        for name in ["", "a_a@example.com", "ada@example%", "ada@example.com ", "NULL"] {
            #expect(try found(name).isEmpty, "\(name)")
        }
    }

    @Test("events come in the order in which they happened, the latest of them where there are too many")
    func order() throws {
        let moments = [3, 1, 4, 2].map { SampleLogin.noon + .seconds($0) }
        try server.note(moments.map { SampleLogin.event(at: $0) })
        func told(_ query: AuditQuery) throws -> [Timestamp] { try beside.auditEvents(query).map(\.moment) }
        #expect(try told(AuditQuery(limit: 10)) == moments.sorted())
        #expect(try told(AuditQuery(limit: 2)) == [moments[3], moments[2]], "the two that were written last")
        #expect(try told(AuditQuery(since: moments[0], limit: 10)) == [moments[0], moments[2]])
    }

    @Test("a file that somebody else has made is not touched")
    func foreign() throws {
        let other = folder.file("other.db")
        try Connection(path: other, access: .readWrite).execute(script: "CREATE TABLE songs (name TEXT)")
        #expect(throws: Migrator.Fault.databaseIsForeign) { try SQLiteStore(path: other) }
        #expect(throws: Migrator.Fault.databaseIsForeign) { try SQLiteFile(path: other).migrate() }
        #expect(throws: StoreFailure.self) { try SQLiteStore(besideServerAt: other) }
        let connection = try Connection(path: other, access: .readOnly)
        #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "delete")
        #expect(try connection.all("SELECT name FROM sqlite_schema") { $0.text(0) } == ["songs"])
    }
}
