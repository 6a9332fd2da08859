/// Reads records of comma-separated values (RFC 4180) from a stream: fields may be quoted, and contain line ends.
///
/// Everything else is refused. A program that writes CSV without a library lets a user's name with quotes and line ends write
/// columns and rows, and a reader that guesses would take them for what the program has said.
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
        /// A quote within a field that does not begin with one, or text after the closing quote.
        case strayQuote(line: Int)
        /// A carriage return outside of quotes that no line feed follows.
        case strayReturn(line: Int)
    }

    package static let longestRecord = 1 << 20

    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote within a quoted field.
        case quote
        /// After a carriage return outside of quotes.
        case lineEnd
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
        if state == .lineEnd { throw .strayReturn(line: firstLine) }
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
        case (.fieldStart, UInt8(ascii: "\n")), (.plain, UInt8(ascii: "\n")), (.quote, UInt8(ascii: "\n")),
            (.lineEnd, UInt8(ascii: "\n")):
            line += 1
            try endRecord(&records)
        case (.lineEnd, _): throw .strayReturn(line: firstLine)
        case (.fieldStart, UInt8(ascii: "\r")), (.plain, UInt8(ascii: "\r")), (.quote, UInt8(ascii: "\r")):
            state = .lineEnd
        case (.plain, UInt8(ascii: "\"")), (.quote, _): throw .strayQuote(line: firstLine)
        case (.quoted, _):
            if byte == UInt8(ascii: "\n") { line += 1 }
            field.append(byte)
        case (.fieldStart, _), (.plain, _):
            field.append(byte)
            state = .plain
        }
    }

    private mutating func endField() throws(Fault) {
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

/// The rows of a CSV file whose first record names the columns.
package struct CSVTable {
    package struct Row {
        package let line: Int
        fileprivate let columns: [String: Int]
        fileprivate let fields: [String]

        /// Nil for a column that is missing or empty. Tools write NULL in different ways.
        package subscript(_ name: String) -> String? {
            guard let index = columns[name] else { return nil }
            let text = fields[index]
            return text.isEmpty || ["NULL", "null", "\\N"].contains(text) ? nil : text
        }

        package func isTrue(_ name: String) -> Bool { ["t", "true", "TRUE", "1"].contains(self[name] ?? "") }
    }

    package enum Fault: Error, Sendable, Equatable {
        case missingColumn(String)
        /// The first line has a name twice.
        case repeatedColumn
        /// The record does not have one field for each column.
        case length(line: Int)
    }

    private let required: [String]
    private var columns: [String: Int]?

    /// - Parameter required: the columns without which no row means anything.
    package init(requiring required: [String]) {
        self.required = required
    }

    /// Nil for the record that names the columns.
    package mutating func row(_ record: CSVReader.Record) throws(Fault) -> Row? {
        if let columns {
            guard record.fields.count == columns.count else { throw .length(line: record.line) }
            return Row(line: record.line, columns: columns, fields: record.fields)
        }
        var columns: [String: Int] = [:]
        for (index, name) in record.fields.enumerated() { columns[name.lowercased()] = index }
        guard columns.count == record.fields.count else { throw .repeatedColumn }
        if let missing = required.first(where: { columns[$0] == nil }) { throw .missingColumn(missing) }
        self.columns = columns
        return nil
    }

    /// Throws if there was not even a first record.
    package func requireColumns() throws(Fault) {
        if columns == nil, let first = required.first { throw .missingColumn(first) }
    }
}
