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
