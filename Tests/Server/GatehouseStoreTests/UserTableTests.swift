import GatehouseStore
import SQL
import SQLite
import TestSupport
import Testing

@Suite("The users table")
struct UserTableTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteStore.writingConnection(to: folder.file("gatehouse.db"))
        _ = try Migrator(connection).migrate()
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
