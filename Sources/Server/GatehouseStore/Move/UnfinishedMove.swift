import FileSystem
import POSIX
import PostgreSQL
import SQL

/// The mark of a database that a move has not finished. No process may serve its content.
enum UnfinishedMove {
    /// The file in which a move prepares a SQLite database. While it exists, the database must not be opened.
    static func draft(of path: String) -> String { File.resolved(path) + "-moving" }

    static func exists(at path: String) -> Bool { File.exists(draft(of: path)) }

    static func advice(for path: String) -> String {
        "a move into the database was not finished: run gatehouse move --to sqlite:\(path) again, "
            + "or remove \(draft(of: path)) to give it up"
    }

    static func advice(from source: String) -> String {
        "a move into the database was not finished: run gatehouse move --from \(source) again, with this database as --to, "
            + "or drop the table gatehouse_move to give it up"
    }

    static func advice(from earlier: String, not source: String) -> String {
        "the target has an unfinished move from \(earlier), and this one is from \(source): name the first source with "
            + "--from, or drop the table gatehouse_move of the target to give it up"
    }
}

/// A move that was killed a moment ago. The operator may start it again before the database server has noticed that.
enum KilledMove {
    private static let patience = Duration.seconds(5)

    /// Waits until it has ended. False if another process has what this one needs.
    static func ends(_ isFree: () throws -> Bool) rethrows -> Bool {
        let end = MonotonicTime.now + patience
        while true {
            if try isFree() { return true }
            guard MonotonicTime.now < end else { return false }
            Thread.pause(for: .milliseconds(100))
        }
    }
}

extension SQLiteStore {
    /// Whether a move into this database was not finished.
    package static func isMoveUnfinished(at path: String) -> Bool { UnfinishedMove.exists(at: path) }
}

extension Connection {
    /// The source of an unfinished move into this PostgreSQL database; nil if there is none.
    func sourceOfUnfinishedMove() throws -> String? {
        let isMarked = try first("SELECT to_regclass('gatehouse_move') IS NOT NULL") { $0.integer(0) != 0 }
        guard isMarked == true else { return nil }
        return try first("SELECT source FROM gatehouse_move") { $0.text(0) } ?? "an unknown place"
    }
}
