import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("Migrations")
struct SQLiteMigratorTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("m.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("migrations run once, and a second run applies none")
    func idempotent() throws {
        #expect(try SQLiteFile(path: path).migrate().count == SQLiteMigrator.latest)
        #expect(try SQLiteFile(path: path).migrate().isEmpty)
        #expect(try SQLiteFile(path: path).schema() == .current)
        #expect(try SQLiteFile(path: path).damage(deep: true).isEmpty)
    }

    @Test("migrations run once if several processes start at the same time")
    func concurrent() throws {
        let applied = try Concurrently.run(8) { [path] _ in try SQLiteFile(path: path).migrate().count }
        #expect(applied.reduce(0, +) == SQLiteMigrator.latest)
    }

    /// A database as a program with a later migration leaves it.
    private func migrateFurther(usableBy oldest: Int) throws {
        _ = try SQLiteFile(path: path).migrate()
        try Connection(path: path, access: .readWrite).execute(
            script: """
                ALTER TABLE users ADD COLUMN shoe_size INTEGER NOT NULL DEFAULT 0;
                CREATE TABLE shoes (user_id TEXT NOT NULL REFERENCES users (id)) STRICT;
                UPDATE gatehouse_schema SET usable_by = \(oldest); PRAGMA user_version = \(SQLiteMigrator.latest + 1);
                """)
    }

    @Test("a database of a newer version that this one cannot use is not opened")
    func newer() throws {
        try migrateFurther(usableBy: SQLiteMigrator.latest + 1)
        let fault = SchemaFault.databaseIsNewer(found: SQLiteMigrator.latest + 1, known: SQLiteMigrator.latest)
        #expect(throws: fault) { try SQLiteStore(path: path) }
        #expect(
            try SQLiteFile(path: path).schema()
                == .newer(found: SQLiteMigrator.latest + 1, known: SQLiteMigrator.latest))
    }

    @Test("after going back one version, users sign in and commands work, on the schema of the newer one")
    func goingBack() throws {
        try migrateFurther(usableBy: SQLiteMigrator.latest)
        let (found, known) = (SQLiteMigrator.latest + 1, SQLiteMigrator.latest)
        #expect(try SQLiteFile(path: path).schema() == .newerButUsable(found: found, known: known))
        #expect(try SQLiteFile(path: path).migrate().isEmpty)
        let store = try SQLiteStore(path: path)
        let user = SampleLogin.user(1)
        #expect(try store.create(user, with: SampleLogin.login("1", of: user, as: SampleLogin.identity("ann"))))
        #expect(try store.user(provider: .apple, subject: "ann") == user)
        #expect(try SQLiteStore(besideServerAt: path).user(provider: .apple, subject: "ann") == user)
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try connection.first("PRAGMA user_version") { Int($0.integer(0)) } == found)
    }

    @Test("a database of a newer version is not moved: its new columns would be left behind")
    func notMoved() throws {
        try migrateFurther(usableBy: SQLiteMigrator.latest)
        #expect(throws: MoveRefusal.self) { try SQLiteMoveSource(path: path, isBackup: false) }
    }

    @Test("a database of another program is not opened")
    func foreign() throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(script: "PRAGMA user_version = -3")
        #expect(throws: SchemaFault.databaseIsForeign) { try SQLiteStore(path: path) }
        #expect(try SQLiteFile(path: path).schema() == .foreign)
    }

    @Test("a writing connection is durable: it has a write-ahead log, and syncs every commit")
    func pragmas() throws {
        let connection = try SQLiteStore.writingConnection(to: path)
        #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
        #expect(try connection.first("PRAGMA synchronous") { $0.integer(0) } == 2)
        #expect(try connection.first("PRAGMA foreign_keys") { $0.integer(0) } == 1)
    }
}

@Suite("The users table")
struct UserTableTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteStore.writingConnection(to: folder.file("gatehouse.db"))
        _ = try SQLiteMigrator(connection).migrate()
    }

    private static let insert = "INSERT INTO users (id, role, status, created_at, updated_at) VALUES (?, ?, ?, 1, 1)"

    @Test(
        "only the defined roles and statuses are accepted",
        arguments: [
            ("USER", "ACTIVE", true), ("ADMIN", "DISABLED", true), ("SUPER_ADMIN", "DELETED", true),
            ("ROOT", "ACTIVE", false), ("USER", "GONE", false), ("user", "ACTIVE", false), ("USER", "", false),
        ])
    func checks(role: String, status: String, isAccepted: Bool) {
        let result = Result {
            try connection.run(Self.insert, .text("user_1"), .text(role), .text(status))
        }
        #expect((try? result.get()) == (isAccepted ? 1 : nil))
    }

    @Test("an insert needs no temporary B-tree")
    func insertsDirectly() throws {
        let steps = try connection.all("EXPLAIN " + Self.insert, .null, .null, .null) { $0.text(1) }
        #expect(steps.contains("Insert") && !steps.contains("OpenEphemeral"))
    }
}
