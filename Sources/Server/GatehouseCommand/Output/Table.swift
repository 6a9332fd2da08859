import CommandLineTool

/// Text in aligned columns.
struct Table {
    private static let emptyCell = "-"

    private let rows: [[String]]

    /// - Parameter header: the names of the columns; nil for rows that begin with a name.
    init(_ rows: [[String?]], under header: [String]? = nil) {
        let written = rows.map { row in row.map { $0?.printable ?? Self.emptyCell } }
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

extension String {
    /// The width of the text on a terminal.
    var columns: Int {
        reduce(0) { $0 + $1.columns }
    }
}

extension Character {
    /// Combining marks have no width of their own, so the widest scalar counts.
    fileprivate var columns: Int {
        unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    /// Two for scalars that UAX #11 calls wide, by their blocks.
    fileprivate var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            2
        case _ where properties.isEmojiPresentation: 2
        case _ where [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory): 0
        default: 1
        }
    }
}
