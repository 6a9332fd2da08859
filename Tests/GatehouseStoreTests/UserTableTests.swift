import GatehouseStore
import SQLite
import TestSupport
import Testing

@Suite("The table of users")
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
        "takes the roles and statuses that there are, and no others",
        arguments: [
            ("USER", "ACTIVE", true), ("ADMIN", "DISABLED", true), ("SUPER_ADMIN", "DELETED", true),
            ("ROOT", "ACTIVE", false), ("USER", "GONE", false), ("user", "ACTIVE", false), ("USER", "", false),
        ])
    func checks(role: String, status: String, isTaken: Bool) {
        let result = Result {
            try connection.run(Self.insert, .text("user_1"), .text(role), .text(status))
        }
        #expect((try? result.get()) == (isTaken ? 1 : nil))
    }

    @Test("takes a user without a temporary B-tree")
    func insertsDirectly() throws {
        let steps = try connection.all("EXPLAIN " + Self.insert, .null, .null, .null) { $0.text(1) }
        #expect(steps.contains("Insert") && !steps.contains("OpenEphemeral"))
    }
}
