import Foundation
import StoreSupport

extension ServerProcess {
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

    /// The seconds since the server last read the log of revocations.
    func ageOfRevocations() throws -> Double? {
        let metrics = String(decoding: try send(.get("/metrics")).body, as: UTF8.self).split(separator: "\n")
        let line = metrics.first { $0.hasPrefix("gatehouse_revocations_age_seconds ") }
        return line.flatMap { Double($0.split(separator: " ")[1]) }
    }

    /// The number of rows of a table, optionally with a condition.
    func count(_ rows: String) throws -> Int64 { try testDatabase.number("SELECT count(*) FROM \(rows)") }
}
