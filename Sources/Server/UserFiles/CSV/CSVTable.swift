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
