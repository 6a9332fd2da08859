/// Rows for people to read, the columns one below the other.
struct Table {
    /// What stands where there is nothing.
    private static let nothing = "-"

    private let rows: [[String]]

    /// - Parameter header: the names of the columns, where the rows do not speak for themselves.
    init(_ rows: [[String?]], under header: [String]? = nil) {
        let written = rows.map { row in row.map { $0?.printable ?? Self.nothing } }
        self.rows = (header.map { [$0] } ?? []) + written
    }

    var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return rows.map { Self.line($0, widths: widths) }.joined(separator: "\n")
    }

    private static func line(_ row: [String], widths: [Int]) -> String {
        let padded = zip(row, widths).dropLast().map { cell, width in
            cell + String(repeating: " ", count: width - cell.columns)
        }
        return (padded + row.suffix(1)).joined(separator: "  ")
    }
}
