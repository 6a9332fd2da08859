import FileSystem
import Gatehouse
import POSIX
import PostgreSQL
import SQL
import Synchronization

/// Copies a database to another engine, where every token stays valid.
///
/// The target is marked as unfinished from the first change until its content has been read back and compared. A move that
/// was killed is run again, and then begins anew: the source may have been used meanwhile.
package struct Move {
    private let source: any MoveSource
    private let target: any MoveTarget
    private let progress: Progress

    package init(from source: any MoveSource, to target: any MoveTarget, progress: Progress = Progress()) {
        (self.source, self.target, self.progress) = (source, target, progress)
    }

    /// Throws a `MoveRefusal` if the source cannot be moved. After an error the target is as it was before, unless it
    /// cannot be reached any more.
    package func run() throws -> Moved {
        do {
            try target.begin(progress)
            return try fill()
        } catch {
            try? target.abandon()
            throw error
        }
    }

    private func fill() throws -> Moved {
        let contents = try MovedTable.all.map(copy)
        try target.index(progress)
        for (table, content) in zip(MovedTable.all, contents) { try verify(table, content) }
        progress.begin("finishing the move")
        try target.complete()
        return Moved(contents)
    }

    /// Reads the source once. After a row that the target cannot store, the rest is only read, to count all such rows.
    private func copy(_ table: MovedTable) throws -> TableContent {
        let done = begin("copying", table, count: try source.count(table))
        var digest = RowDigest()
        var unstorable = UnstorableRows(of: table)
        try target.fill(table) { write in
            try source.read(table) { row in
                done.add(1)
                guard try target.storesAnyText || table.isStorable(row) else { return try unstorable.add(row) }
                guard unstorable.isEmpty else { return }
                digest.add(row)
                try write(row)
            }
        }
        if let refusal = unstorable.refusal { throw refusal }
        if table.isNumbered { try target.setLastNumber(try source.lastNumber(of: table), of: table) }
        return digest.content
    }

    private func verify(_ table: MovedTable, _ expected: TableContent) throws {
        let done = begin("verifying", table, count: expected.count)
        var digest = RowDigest()
        try target.read(table) { row in
            done.add(1)
            digest.add(row)
        }
        let found = digest.content
        guard found.count == expected.count else {
            throw StoreFailure(
                "the copy is not complete: the table \(table.name) has \(found.count) of \(expected.count) rows")
        }
        guard found.hash == expected.hash else {
            throw StoreFailure("the copy differs from the source in the table \(table.name)")
        }
    }

    private func begin(_ step: String, _ table: MovedTable, count: Int64) -> RowCount {
        let done = RowCount()
        progress.begin("\(step) the table \(table.name)", unit: "rows", total: count) { done.value }
        return done
    }
}

/// The result of a move.
package struct Moved: Sendable, Equatable {
    package let users: Int64
    package let sessions: Int64
    /// The number of rows in all tables.
    package let rows: Int64

    fileprivate init(_ contents: [TableContent]) {
        func count(_ name: String) -> Int64 {
            zip(MovedTable.all, contents).first { $0.0.name == name }?.1.count ?? 0
        }
        (users, sessions) = (count("users"), count("refresh_tokens"))
        rows = contents.reduce(0) { $0 + $1.count }
    }
}

/// The progress of a step.
private final class RowCount: Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func add(_ number: Int64) { count.add(number, ordering: .relaxed) }
}

/// The reason why a move was not begun, and what to do about it.
package struct MoveRefusal: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A database that a move reads completely.
package protocol MovedDatabase {
    /// Reads all rows of a table in the order of its key, encoded.
    func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws
}

/// The database that is copied. While this value lives, no other process changes it.
package protocol MoveSource: MovedDatabase {
    /// Its place, without a secret.
    var name: String { get }

    func count(_ table: MovedTable) throws -> Int64

    /// The high-water mark of a numbered table: the largest number that a row has had, whether or not the row still
    /// exists.
    func lastNumber(of table: MovedTable) throws -> Int64
}

/// The database that is written. It was examined, and is not changed before `begin`.
package protocol MoveTarget: MovedDatabase {
    /// Whether it also stores texts with a zero byte, or that are not UTF-8.
    var storesAnyText: Bool { get }

    /// Marks the database as unfinished, and removes what an interrupted move has left.
    func begin(_ progress: Progress) throws

    func fill(_ table: MovedTable, from rows: ((Span<UInt8>) throws -> Void) throws -> Void) throws

    /// The database continues to number the rows after this number.
    func setLastNumber(_ number: Int64, of table: MovedTable) throws

    /// Creates the indexes.
    func index(_ progress: Progress) throws

    /// Restores the state without a move.
    func abandon() throws

    /// Removes the mark, so that the database can be used.
    func complete() throws
}

/// Keeps an error that a closure throws through an interface that would replace it.
final class KeptError {
    private(set) var error: (any Error)?

    func keeping(_ body: () throws -> Void) throws {
        do { try body() } catch {
            self.error = error
            throw error
        }
    }
}

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
