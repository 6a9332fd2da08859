import SQLite

extension ServedHouse {
    /// Changes what is stored, as somebody with the file can.
    func change(_ sql: String) throws {
        let connection = try Connection(path: database, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.execute(script: sql)
    }

    /// How many rows there are, of a table or of a part of one.
    func count(_ rows: String) throws -> Int64 {
        let connection = try Connection(path: database, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        return try connection.first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? -1
    }
}
