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

    func send(_ sql: String, values: [Value]) throws

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

/// A value of a column or a parameter.
package enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package static func flag(_ isSet: Bool) -> Value { .integer(isSet ? 1 : 0) }

    package static func optional(_ flag: Bool?) -> Value { flag.map(Value.flag) ?? .null }

    package static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }

    package static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }

    package static func optional(_ blob: [UInt8]?) -> Value { blob.map(Value.blob) ?? .null }
}

/// The type of a column in an encoded row.
///
/// An encoded row is a `Span<UInt8>` in PostgreSQL's binary format of COPY: the number of columns in two bytes, then each
/// column after its length in four. All are big-endian, and the length of NULL is -1.
package enum ColumnKind: Sendable {
    /// In UTF-8.
    case text
    /// Eight bytes.
    case number
    /// One byte, 0 or 1.
    case flag
    case blob
}

/// Reads the places of the columns of an encoded row, one after the other.
package struct ColumnPlaces {
    /// The bytes before the first column.
    package static let headByteCount = 2

    private var position = headByteCount

    package init() {}

    /// Nil for NULL. Throws at the end of the row.
    package mutating func next(in row: borrowing Span<UInt8>) throws(UnreadableValue) -> Range<Int>? {
        guard position + 4 <= row.count else { throw UnreadableValue("an encoded row") }
        var bits: UInt32 = 0
        for index in position..<position + 4 { bits = bits << 8 | UInt32(row[index]) }
        position += 4
        let length = Int(Int32(bitPattern: bits))
        guard length >= 0 else { return nil }
        guard position + length <= row.count else { throw UnreadableValue("an encoded row") }
        defer { position += length }
        return position..<position + length
    }
}
