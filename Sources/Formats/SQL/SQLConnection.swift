/// A connection to a database, with its prepared statements. Parameters are `?` or `?1`, `?2` in every database.
///
/// Only one thread at a time may use a connection.
package protocol SQLConnection: AnyObject {
    /// Executes a statement and returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: Value...) throws -> Int

    /// Executes a statement whose result does not matter. The database receives it with a later statement, or with the
    /// commit at the latest. That call throws its error.
    func send(_ sql: String, _ values: Value...) throws

    /// The first row of a query; nil if there is none.
    func first<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws -> Result?

    /// All rows of a query.
    func all<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws -> [Result]
}

/// A row of a result, valid only inside the closure that it is passed to.
package protocol SQLRow: ~Copyable {
    /// Also a flag, as 0 or 1. 0 for NULL.
    func integer(_ column: Int32) -> Int64
    func optionalInteger(_ column: Int32) -> Int64?
    /// Empty for NULL.
    func text(_ column: Int32) -> String
    func optionalText(_ column: Int32) -> String?
    /// Empty for NULL.
    func blob(_ column: Int32) -> [UInt8]
    func optionalBlob(_ column: Int32) -> [UInt8]?
}

extension SQLRow where Self: ~Copyable {
    package func optionalFlag(_ column: Int32) -> Bool? { optionalInteger(column).map { $0 != 0 } }
}

/// A value that this program did not write: the database is damaged, or another program's.
package struct UnreadableValue: Error {
    /// Names the kind of value, but not the value.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
