import Foundation
import StoreSupport

extension FastCGIInstallation {
    var testDatabase: TestDatabase { TestDatabase(url: databaseURL) }

    /// Changes the database directly, as a user with access to it can.
    func change(_ sql: String) throws { try testDatabase.execute(sql) }

    /// Renames the table of revocations and makes the server read it, so that the guard cannot decide any more. Only for a
    /// database in a file: a server would decide for half a minute.
    func breakRevocations() throws {
        try change("ALTER TABLE revocations RENAME TO lost")
        // The counter that processes increment after a revocation. The server checks it on each request.
        guard let sign = FileHandle(forWritingAtPath: database + "-sign") else { throw CocoaError(.fileNoSuchFile) }
        try sign.write(contentsOf: [UInt8](repeating: 1, count: 8))
        try sign.close()
    }

    /// The number of rows of a table, optionally with a condition.
    func count(_ rows: String) throws -> Int64 { try testDatabase.number("SELECT count(*) FROM \(rows)") }
}
