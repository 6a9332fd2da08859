import Gatehouse
import SQL

/// Counts the columns of a row while they are read in order, so that no reader depends on a column's number.
struct ColumnCounter {
    private var column: Int32 = -1

    mutating func next() -> Int32 {
        column += 1
        return column
    }
}

extension SQLRow where Self: ~Copyable {
    /// A column with one of a fixed set of words. Another word means a damaged or foreign database, and
    /// must not become a default.
    @inline(__always)
    func `case`<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word {
        guard let word = Word(rawValue: text(column)) else {
            throw UnreadableValue("a column holds a word that is not one of \(Word.self)")
        }
        return word
    }

    /// The same for a column that may be NULL.
    func optionalCase<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word? {
        optionalText(column) == nil ? nil : try self.case(Word.self, at: column)
    }

    func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTimestamp(_ column: Int32) -> Timestamp? {
        optionalInteger(column).map(Timestamp.init(milliseconds:))
    }

    func device(_ columns: inout ColumnCounter) -> Device {
        Device(userAgent: optionalText(columns.next()), address: optionalText(columns.next()))
    }
}
