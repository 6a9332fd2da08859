import Foundation
import SQLite

extension FastCGIInstallation {
    /// Changes the database directly, as a user with access to the file can.
    func change(_ sql: String) throws {
        let connection = try Connection(path: database, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.execute(script: sql)
    }

    /// Renames the table of revocations and makes the server read it, so that the guard cannot decide any more.
    func breakRevocations() throws {
        try change("ALTER TABLE revocations RENAME TO lost")
        // The counter that processes increment after a revocation. The server checks it on each request.
        guard let sign = FileHandle(forWritingAtPath: database + "-sign") else { throw CocoaError(.fileNoSuchFile) }
        try sign.write(contentsOf: [UInt8](repeating: 1, count: 8))
        try sign.close()
    }

    /// The number of rows of a table, optionally with a condition.
    func count(_ rows: String) throws -> Int64 {
        let connection = try Connection(path: database, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        return try connection.first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? -1
    }
}
