import SQL
import StoreSupport

/// The number of rows in each table of a database.
enum TableRowCounts {
    static func read(from database: TestDatabase) throws -> [String: Int64] {
        let connection = try database.connection()
        var counts: [String: Int64] = [:]
        for table in try database.tables() {
            counts[table] = try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) }
        }
        return counts
    }
}
