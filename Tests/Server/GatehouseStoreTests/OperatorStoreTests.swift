import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("The store of a command beside a server")
struct OperatorStoreTests {
    private let database: TestDatabase
    private let server: any ServerStore
    private let commands: any ServerStore

    init() throws {
        database = try TestDatabase()
        server = try database.store()
        commands = try database.storeBesideServers()
    }

    @discardableResult
    private func add(_ number: Int, email: String? = nil) throws -> User {
        let user = SampleLogin.user(number, email: email)
        let identity = SampleLogin.identity("s\(number)", email: email)
        #expect(try server.create(user, with: SampleLogin.login("\(number)", of: user, as: identity)))
        return user
    }

    /// Extends a session beyond the current time, which SQL triggers read from the system clock.
    private func lengthen(_ session: String) throws {
        let connection = try database.connection()
        try connection.run("UPDATE refresh_tokens SET expires_at = 4000000000000 WHERE id = ?", .text(session))
    }

    private func subjects(after place: Int64 = 0) throws -> [Revocation.Subject] {
        try server.revocations(after: place).map(\.subject)
    }

    /// The log of a server does not contain the state.
    private func entry(of user: UserID, _ role: Role, _ status: UserStatus) -> Revocation.Subject {
        .user(user, TestDatabase.isOnServer ? nil : UserState(role: role, status: status))
    }

    @Test("every change of a role or a status is in the revocation log, with the current state")
    func userStates() throws {
        let user = try add(1).id
        func userState(_ role: Role, _ status: UserStatus) -> Revocation.Subject { entry(of: user, role, status) }
        #expect(try commands.setRole(.admin, of: user, recording: SampleLogin.event(.roleChanged)))
        #expect(try subjects() == [userState(.admin, .active)])
        #expect(try commands.disable(user, recording: SampleLogin.event(.userDisabled)))
        let disabled = userState(.admin, .disabled)
        #expect(
            try subjects() == [disabled, disabled, .session(SessionID("sess_1"))])
        #expect(try commands.enable(user, recording: SampleLogin.event(.userEnabled)))
        #expect(try subjects().last == userState(.admin, .active))
        #expect(
            try commands.delete(user, recording: SampleLogin.event(.userDeleted)) == [], "its session had ended before")
        #expect(try subjects().last == userState(.admin, .deleted))
        #expect(try subjects().count == 5)
    }

    @Test("an operation that changes nothing adds no entry to the revocation log and the audit trail")
    func nothing() throws {
        let user = try add(1).id
        let before = try server.auditEvents(AuditQuery(limit: 10))
        #expect(try !commands.enable(user, recording: SampleLogin.event(.userEnabled)))
        #expect(try !commands.setRole(.user, of: user, recording: SampleLogin.event(.roleChanged)))
        #expect(try !commands.disable(UserID("user_9"), recording: SampleLogin.event(.userDisabled)))
        #expect(try !commands.setRole(.admin, of: UserID("user_9"), recording: SampleLogin.event(.roleChanged)))
        try database.execute("UPDATE users SET nickname = 'x'")
        #expect(try subjects().isEmpty)
        #expect(try server.auditEvents(AuditQuery(limit: 10)) == before)
    }

    @Test(
        "a change by SQL is in the revocation log too",
        arguments: [
            ("UPDATE users SET status = 'DISABLED'", "disabled"), ("UPDATE users SET role = 'ADMIN'", "admin"),
            ("UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked'", "session"),
            ("DELETE FROM refresh_tokens", "session"),
            ("DELETE FROM refresh_tokens; DELETE FROM auth_accounts; DELETE FROM users", "session deleted"),
        ])
    func byHand(sql: String, means: String) throws {
        let user = try add(1).id
        try lengthen("sess_1")
        try database.execute(sql)
        let expected: [String: Revocation.Subject] = [
            "disabled": entry(of: user, .user, .disabled), "admin": entry(of: user, .admin, .active),
            "session": .session(SessionID("sess_1")), "deleted": entry(of: user, .user, .deleted),
        ]
        #expect(try subjects() == means.split(separator: " ").compactMap { expected[String($0)] })
    }

    @Test("the removal of an expired session is not in the revocation log")
    func expired() throws {
        try add(1)
        try database.execute("UPDATE refresh_tokens SET expires_at = 1; DELETE FROM refresh_tokens")
        #expect(try subjects().isEmpty)
    }

    @Test("email addresses are compared without case, and otherwise exactly")
    func addresses() throws {
        for (number, email) in ["Ada@Example.com", "ada@example.com", "émile@example.com", nil].enumerated() {
            try add(number, email: email)
        }
        func found(_ name: String) throws -> [String] { try commands.users(called: name).map(\.record.user.id.text) }
        #expect(try found("ADA@example.COM") == ["user_0", "user_1"])
        #expect(try found("ÉMILE@example.com") == ["user_2"])
        for name in ["", "a_a@example.com", "ada@example%", "ada@example.com ", "NULL"] {
            #expect(try found(name).isEmpty, "\(name)")
        }
    }

    @Test("events are sorted by time, and a limit keeps the latest entries")
    func order() throws {
        let moments = [3, 1, 4, 2].map { SampleLogin.noon + .seconds($0) }
        try server.record(moments.map { SampleLogin.event(at: $0) })
        func found(_ query: AuditQuery) throws -> [Timestamp] { try commands.auditEvents(query).map(\.moment) }
        #expect(try found(AuditQuery(limit: 10)) == moments.sorted())
        #expect(try found(AuditQuery(limit: 2)) == [moments[3], moments[2]], "the two that were written last")
        #expect(try found(AuditQuery(since: moments[0], limit: 10)) == [moments[0], moments[2]])
    }

    @Test("a database of another program is not changed")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let other = folder.file("other.db")
        try Connection(path: other, access: .readWrite).execute(script: "CREATE TABLE songs (name TEXT)")
        #expect(throws: SchemaFault.databaseIsForeign) { try SQLiteStore(path: other) }
        #expect(throws: SchemaFault.databaseIsForeign) { try SQLiteFile(path: other).migrate() }
        #expect(throws: StoreFailure.self) { try SQLiteStore(besideServerAt: other) }
        let connection = try Connection(path: other, access: .readOnly)
        #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "delete")
        #expect(try connection.all("SELECT name FROM sqlite_schema") { $0.text(0) } == ["songs"])
    }
}
