import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

/// A column that is missing from the list of a move would be lost, and no comparison would notice.
@Suite("Tables of a move")
struct MovedTableTests {
    /// The columns of each table with the PostgreSQL types that a move expects.
    private var moved: [String: [String: String]] {
        let types: [ColumnKind: String] = [.text: "text", .number: "bigint", .flag: "boolean", .blob: "bytea"]
        return Dictionary(
            uniqueKeysWithValues: MovedTable.all.map { table in
                let columns = zip(table.columns, table.kinds).map { ($0, types[$1] ?? "") }
                return (table.name, Dictionary(uniqueKeysWithValues: columns))
            })
    }

    private func names(_ tables: [String: [String: String]]) -> [String: Set<String>] {
        tables.mapValues { Set($0.keys) }
    }

    @Test("Every column of SQLite is moved, except those that concern the nodes of one database")
    func file() throws {
        let folder = try TemporaryFolder()
        let database = TestDatabase(url: "sqlite:" + folder.file("gatehouse.db"))
        _ = try database.store()
        var found: [String: Set<String>] = [:]
        for table in try database.tables() where !table.hasPrefix("sqlite_") && table != "gatehouse_schema" {
            let query = "SELECT name FROM pragma_table_info('\(table)')"
            found[table] = Set(try database.connection().all(query) { $0.text(0) })
                .subtracting(MovedTable.unmovedColumns[table] ?? [])
        }
        #expect(found == names(moved))
    }

    @Test("Every column of PostgreSQL is moved, except those that have a meaning only there, and has the expected type")
    func server() throws {
        let database = TestDatabase(url: try TemporaryPostgreSQL.shared.get().database())
        _ = try database.store()
        var found: [String: [String: String]] = [:]
        let query = """
            SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name <> 'gatehouse_schema'
            """
        for (table, column, type) in try database.connection().all(
            query, read: { ($0.text(0), $0.text(1), $0.text(2)) })
        where MovedTable.unmovedColumns[table]?.contains(column) != true {
            found[table, default: [:]][column] = type
        }
        #expect(found == moved)
    }
}
