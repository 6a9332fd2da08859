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
