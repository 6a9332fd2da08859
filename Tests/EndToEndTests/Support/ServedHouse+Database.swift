import Foundation
import SQLite

extension ServedHouse {
    /// Changes what is stored, as somebody with the file can.
    func change(_ sql: String) throws {
        let connection = try Connection(path: database, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.execute(script: sql)
    }

    /// Makes the server read the ended sessions anew, which it cannot: it does not know any more who may be let in.
    func loseRevocations() throws {
        try change("ALTER TABLE revocations RENAME TO lost")
        // The number that other processes count up: the server looks at it with each request.
        guard let sign = FileHandle(forWritingAtPath: database + "-sign") else { throw CocoaError(.fileNoSuchFile) }
        try sign.write(contentsOf: [UInt8](repeating: 1, count: 8))
        try sign.close()
    }

    /// How many rows there are, of a table or of a part of one.
    func count(_ rows: String) throws -> Int64 {
        let connection = try Connection(path: database, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        return try connection.first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? -1
    }
}
