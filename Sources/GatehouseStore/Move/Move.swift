import Gatehouse
import SQL
import Synchronization

/// Copies a database to another engine, where every token stays valid.
///
/// The target is marked as unfinished from the first change until its content has been read back and compared. A move that
/// was killed is run again, and then begins anew: the source may have been used meanwhile.
package struct Move {
    private let source: any MoveSource
    private let target: any MoveTarget
    private let progress: Progress

    package init(from source: any MoveSource, to target: any MoveTarget, progress: Progress = Progress()) {
        self.source = source
        self.target = target
        self.progress = progress
    }

    /// Throws a `MoveRefusal` if the source cannot be moved; then the target is unchanged. After any other error the target
    /// may be marked as unfinished.
    package func run() throws -> Moved {
        var contents: [TableContent] = []
        for table in MovedTable.all { contents.append(try examine(table)) }
        try target.begin(progress)
        for (table, content) in zip(MovedTable.all, contents) { try copy(table, count: content.count) }
        try target.index(progress)
        for (table, content) in zip(MovedTable.all, contents) { try verify(table, content) }
        progress.begin("finishing the move")
        try target.complete()
        return Moved(contents)
    }

    /// Reads the source before the target is changed.
    private func examine(_ table: MovedTable) throws -> TableContent {
        var unstorable = ZeroByteRows(of: table)
        let content = try digest(source, table, "reading", count: try source.count(table)) { values in
            if !target.storesZeroBytes { unstorable.check(values) }
        }
        if let refusal = unstorable.refusal { throw refusal }
        return content
    }

    private func copy(_ table: MovedTable, count: Int64) throws {
        let done = begin("copying", table, count: count)
        try target.fill(table) { write in
            try source.read(table) { values in
                try write(values)
                done.add(1)
            }
        }
        if table.isNumbered { try target.setLastNumber(try source.lastNumber(of: table), of: table) }
    }

    private func verify(_ table: MovedTable, _ expected: TableContent) throws {
        let found = try digest(target, table, "verifying", count: expected.count)
        guard found.count == expected.count else {
            throw StoreFailure(
                "the copy is not complete: the table \(table.name) has \(found.count) of \(expected.count) rows")
        }
        guard found.hash == expected.hash else {
            throw StoreFailure("the copy differs from the source in the table \(table.name)")
        }
    }

    private func digest(
        _ database: any MovedDatabase, _ table: MovedTable, _ step: String, count: Int64,
        _ check: ([Value]) -> Void = { _ in }
    ) throws -> TableContent {
        let done = begin(step, table, count: count)
        var digest = RowDigest()
        try database.read(table) { values in
            check(values)
            digest.add(values)
            done.add(1)
        }
        return digest.content
    }

    private func begin(_ step: String, _ table: MovedTable, count: Int64) -> RowCount {
        let done = RowCount()
        progress.begin("\(step) the table \(table.name)", unit: "rows", total: count) { done.value }
        return done
    }
}

/// The result of a move.
package struct Moved: Sendable, Equatable {
    package let users: Int64
    package let sessions: Int64
    /// Of all tables.
    package let rows: Int64

    fileprivate init(_ contents: [TableContent]) {
        func count(_ name: String) -> Int64 {
            zip(MovedTable.all, contents).first { $0.0.name == name }?.1.count ?? 0
        }
        (users, sessions) = (count("users"), count("refresh_tokens"))
        rows = contents.reduce(0) { $0 + $1.count }
    }
}

/// The progress of a step.
private final class RowCount: Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func add(_ number: Int64) { count.add(number, ordering: .relaxed) }
}

/// The rows of a table with texts that PostgreSQL cannot store.
private struct ZeroByteRows {
    private let table: MovedTable
    private var keys: [String] = []
    private var count = 0

    init(of table: MovedTable) {
        self.table = table
    }

    mutating func check(_ values: [Value]) {
        guard values.contains(where: \.hasZeroByte) else { return }
        count += 1
        if keys.count < 5 { keys.append(values[table.keyIndex].asKey) }
    }

    var refusal: MoveRefusal? {
        guard count > 0 else { return nil }
        let list = keys.joined(separator: ", ") + (count > keys.count ? ", …" : "")
        return MoveRefusal(
            "PostgreSQL cannot store a text with a zero byte, and \(count) rows of the table \(table.name) have one "
                + "(\(table.key) \(list)): remove these bytes first")
    }
}

extension Value {
    fileprivate var hasZeroByte: Bool {
        guard case .text(let text) = self else { return false }
        return text.utf8.contains(0)
    }

    /// As an operator finds the row: blobs in hexadecimal digits.
    fileprivate var asKey: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .text(let text): text
        case .blob(let bytes):
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}
