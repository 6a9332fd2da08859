import SQLite

extension ServedHouse {
    /// Changes what is stored, as somebody with the file can.
    func change(_ sql: String) throws {
        let connection = try Connection(path: database, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.execute(script: sql)
    }
}
