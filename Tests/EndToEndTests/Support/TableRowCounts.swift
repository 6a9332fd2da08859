import SQLite

/// The number of rows in each table of a database.
enum TableRowCounts {
    static func read(from database: String) throws -> [String: Int64] {
        let connection = try Connection(path: database, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        let tables = try connection.all("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.text(0) }
        var counts: [String: Int64] = [:]
        for table in tables { counts[table] = try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) } }
        return counts
    }
}
