import SQL
import Text

/// The rows of a table with texts that PostgreSQL cannot store.
struct UnstorableRows {
    private let table: MovedTable
    private var keys: [String] = []
    private var count = 0

    init(of table: MovedTable) {
        self.table = table
    }

    mutating func add(_ row: Span<UInt8>) throws {
        count += 1
        if keys.count < 5 { keys.append(try table.keyText(of: row)) }
    }

    var isEmpty: Bool { count == 0 }

    var refusal: MoveRefusal? {
        guard count > 0 else { return nil }
        let list = keys.joined(separator: ", ") + (count > keys.count ? ", …" : "")
        let rows = count == 1 ? "1 row" : "\(count) rows"
        return MoveRefusal(
            "PostgreSQL stores only texts in UTF-8 without a zero byte, and \(rows) of the table \(table.name) have another "
                + "one (\(table.key) \(list)): correct these texts first")
    }
}

extension MovedTable {
    /// Whether PostgreSQL can store the texts, which are the first columns.
    func isStorable(_ row: Span<UInt8>) throws -> Bool {
        var places = ColumnPlaces()
        for kind in kinds where kind == .text {
            guard let place = try places.next(in: row) else { continue }
            let text = row.extracting(place)
            guard !text.hasZeroByte, (try? UTF8Span(validating: text)) != nil else { return false }
        }
        return true
    }

    /// The key as an operator finds the row: blobs in hexadecimal digits.
    fileprivate func keyText(of row: Span<UInt8>) throws -> String {
        var places = ColumnPlaces()
        for (column, kind) in zip(columns, kinds) {
            let place = try places.next(in: row)
            guard column == key, let place else { continue }
            let bytes = place.map { row[$0] }
            return switch kind {
            case .text: String(decoding: bytes, as: UTF8.self)
            case .number, .flag: String(bytes.reduce(0) { $0 << 8 | Int64($1) })
            case .blob: Hexadecimal.text(bytes)
            }
        }
        return "NULL"
    }
}

extension Span<UInt8> {
    fileprivate var hasZeroByte: Bool {
        for index in indices where self[index] == 0 { return true }
        return false
    }
}
