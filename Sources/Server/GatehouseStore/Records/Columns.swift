import PostgreSQL
import SQL

/// A value whose members are in the columns of a row. `visitColumns` is their only list: from it follow the columns of a SELECT,
/// the reader of a row, the columns and values of an INSERT, its arrays for `unnest`, and the columns of a move.
protocol Record {
    /// A value whose members `visitColumns` has not read yet.
    static var unread: Self { get }

    /// Names the column of each member. Those that an INSERT writes come first; the others have defaults.
    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws
}

/// Reads or writes the columns of a record, one after the other. The compiler makes a function for each record and visitor, so
/// the list costs a request nothing.
protocol ColumnVisitor {
    /// Whether only the columns of an INSERT are visited.
    var isInsert: Bool { get }

    mutating func callAsFunction<Member: ColumnValue>(
        _ name: StaticString, _ member: inout Member, _ row: borrowing AnyRow) throws
}

// MARK: - Reading

extension Record {
    /// Reads `ColumnList.selected`.
    init(row: borrowing AnyRow, _ columns: inout ColumnCounter) throws {
        self = .unread
        try visitColumns(&columns, row)
    }

    /// Reads `ColumnList.selected`, which are the first columns of the row.
    init(row: borrowing AnyRow) throws {
        var columns = ColumnCounter()
        try self.init(row: row, &columns)
    }
}

/// Counts the columns of a row while they are read in order, so that no reader depends on a column's number.
struct ColumnCounter: ColumnVisitor {
    private var column: Int32 = -1

    var isInsert: Bool { false }

    mutating func next() -> Int32 {
        column += 1
        return column
    }

    @inline(__always)
    mutating func callAsFunction<Member: ColumnValue>(
        _: StaticString, _ member: inout Member, _ row: borrowing AnyRow
    ) throws {
        member = try Member.read(row, next())
    }
}

// MARK: - Writing

private struct ColumnWriter: ColumnVisitor {
    var values: [Value] = []

    var isInsert: Bool { true }

    @inline(__always)
    mutating func callAsFunction<Member: ColumnValue>(
        _: StaticString, _ member: inout Member, _: borrowing AnyRow
    ) {
        values.append(member.value)
    }
}

extension Record {
    /// The values of the other columns of an INSERT, and those of `ColumnList.inserted`.
    func insertedValues(after others: Value...) throws -> [Value] {
        var (record, writer) = (self, ColumnWriter())
        writer.values.reserveCapacity(20)
        for value in others { writer.values.append(value) }
        try record.visitColumns(&writer, NoRow())
        return writer.values
    }
}

extension ColumnList {
    /// The arrays of `insertedArrays`.
    func parameters(of records: [some Record]) throws -> [Parameter] {
        let rows = try records.map { try $0.insertedValues() }
        return insertedColumns.enumerated().map { place, column in
            switch column.kind {
            case .text: .texts(rows.map { if case .text(let text) = $0[place] { text } else { nil } })
            case .number, .flag:
                .integers(rows.map { if case .integer(let number) = $0[place] { number } else { nil } })
            case .blob: .blobs(rows.map { if case .blob(let bytes) = $0[place] { bytes } else { nil } })
            }
        }
    }
}

private struct NoRow: SQLRow {
    func integer(_: Int32) -> Int64 { 0 }
    func optionalInteger(_: Int32) -> Int64? { nil }
    func text(_: Int32) -> String { "" }
    func optionalText(_: Int32) -> String? { nil }
    func blob(_: Int32) -> [UInt8] { [] }
    func optionalBlob(_: Int32) -> [UInt8]? { nil }
}

// MARK: - Statements

/// The columns of a record, as parts of statements. A constant of the record, so that no request builds it.
struct ColumnList {
    typealias Column = (name: String, kind: ColumnKind)

    let columns: [Column]
    fileprivate let insertedColumns: [Column]
    /// The statement for `Record.insertedValues`.
    private(set) var insert = ""

    /// - Parameter others: the columns of an INSERT that are no members, such as a key.
    init<Content: Record>(of _: Content.Type, in table: String, after others: [String] = []) {
        func visited(isInsert: Bool) -> [Column] {
            var (record, visitor) = (Content.unread, ColumnNames(isInsert: isInsert))
            // This visitor throws nothing.
            try? record.visitColumns(&visitor, NoRow())
            return visitor.columns
        }
        (columns, insertedColumns) = (visited(isInsert: false), visited(isInsert: true))
        let names = others + insertedColumns.map(\.name)
        let places = names.map { _ in "?" }.joined(separator: ", ")
        insert = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places))"
    }

    /// For a SELECT from a table with this alias.
    func selected(from alias: String) -> String { columns.map { "\(alias).\($0.name)" }.joined(separator: ", ") }

    /// For RETURNING, or a SELECT from one table.
    var selected: String { columns.map(\.name).joined(separator: ", ") }

    /// For an INSERT, or as the names of the arrays of `unnest`.
    var inserted: String { insertedColumns.map(\.name).joined(separator: ", ") }

    /// The parameters of an INSERT.
    var places: String { insertedColumns.map { _ in "?" }.joined(separator: ", ") }

    /// The parameters of `unnest`. Flags are sent as numbers.
    var insertedArrays: String {
        insertedColumns.map { column in
            switch column.kind {
            case .text: "?::text[]"
            case .number: "?::bigint[]"
            case .flag: "?::bigint[]::integer[]::boolean[]"
            case .blob: "?::bytea[]"
            }
        }.joined(separator: ", ")
    }
}

private struct ColumnNames: ColumnVisitor {
    let isInsert: Bool
    var columns: [ColumnList.Column] = []

    mutating func callAsFunction<Member: ColumnValue>(
        _ name: StaticString, _: inout Member, _: borrowing AnyRow
    ) {
        columns.append((name.description, Member.kind))
    }
}
