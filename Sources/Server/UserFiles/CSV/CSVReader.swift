/// Reads records of comma-separated values (RFC 4180) from a stream: fields may be quoted, and contain line ends.
///
/// A quote that neither opens nor closes a field stands for itself. Programs that write CSV without a library put quotes around
/// a text with a comma, but do not double those in it.
package struct CSVReader {
    package struct Record: Sendable, Equatable {
        /// The line on which it begins, from 1.
        package let line: Int
        package let fields: [String]
    }

    package enum Fault: Error, Sendable, Equatable {
        case longRecord(line: Int)
        case encoding(line: Int)
        case openQuote(line: Int)
    }

    package static let longestRecord = 1 << 20

    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote within a quoted field.
        case quote
    }

    private var state = State.fieldStart
    private var fields: [String] = []
    private var field: [UInt8] = []
    private var size = 0
    private var line = 1
    private var firstLine = 1
    /// The bytes of a byte order mark that were seen at the start.
    private var mark = 0

    package init() {}

    /// The records that end in these bytes.
    package mutating func read(_ chunk: [UInt8]) throws(Fault) -> [Record] {
        var records: [Record] = []
        for byte in chunk {
            if mark < Self.byteOrderMark.count {
                if byte == Self.byteOrderMark[mark] {
                    mark += 1
                    continue
                }
                mark = Self.byteOrderMark.count
            }
            try take(byte, &records)
        }
        return records
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The last record, if no line end follows it.
    package mutating func finish() throws(Fault) -> [Record] {
        if state == .quoted { throw .openQuote(line: firstLine) }
        var records: [Record] = []
        if !fields.isEmpty || !field.isEmpty || state != .fieldStart { try endRecord(&records) }
        return records
    }

    private mutating func take(_ byte: UInt8, _ records: inout [Record]) throws(Fault) {
        size += 1
        guard size <= Self.longestRecord else { throw .longRecord(line: firstLine) }
        switch (state, byte) {
        case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
        case (.quoted, UInt8(ascii: "\"")): state = .quote
        case (.quote, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (.fieldStart, UInt8(ascii: ",")), (.plain, UInt8(ascii: ",")), (.quote, UInt8(ascii: ",")):
            try endField()
        case (.fieldStart, UInt8(ascii: "\n")), (.plain, UInt8(ascii: "\n")), (.quote, UInt8(ascii: "\n")):
            line += 1
            try endRecord(&records)
        case (.quote, UInt8(ascii: "\r")): break
        case (.quote, _):
            field += [UInt8(ascii: "\""), byte]
            state = .quoted
        case (.fieldStart, _):
            field.append(byte)
            state = .plain
        default:
            if byte == UInt8(ascii: "\n") { line += 1 }
            field.append(byte)
        }
    }

    private mutating func endField() throws(Fault) {
        if state == .plain, field.last == UInt8(ascii: "\r") { field.removeLast() }
        guard let text = String(validating: field, as: UTF8.self) else { throw .encoding(line: firstLine) }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func endRecord(_ records: inout [Record]) throws(Fault) {
        try endField()
        // Not for an empty line.
        if fields != [""] { records.append(Record(line: firstLine, fields: fields)) }
        (fields, size, firstLine) = ([], 0, line)
    }
}
