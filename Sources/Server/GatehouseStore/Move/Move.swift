import Gatehouse
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

    /// Throws a `MoveRefusal` if the source cannot be moved. After an error the target is as it was before, unless it
    /// cannot be reached any more.
    package func run() throws -> Moved {
        do {
            try target.begin(progress)
            return try fill()
        } catch {
            try? target.abandon()
            throw error
        }
    }

    private func fill() throws -> Moved {
        let contents = try MovedTable.all.map(copy)
        try target.index(progress)
        for (table, content) in zip(MovedTable.all, contents) { try verify(table, content) }
        progress.begin("finishing the move")
        try target.complete()
        return Moved(contents)
    }

    /// Reads the source once. After a row that the target cannot store, the rest is only read, to count all such rows.
    private func copy(_ table: MovedTable) throws -> TableContent {
        let done = begin("copying", table, count: try source.count(table))
        var digest = RowDigest()
        var unstorable = UnstorableRows(of: table)
        try target.fill(table) { write in
            try source.read(table) { row in
                done.add(1)
                guard try target.storesAnyText || table.isStorable(row) else { return try unstorable.add(row) }
                guard unstorable.isEmpty else { return }
                digest.add(row)
                try write(row)
            }
        }
        if let refusal = unstorable.refusal { throw refusal }
        if table.isNumbered { try target.setLastNumber(try source.lastNumber(of: table), of: table) }
        return digest.content
    }

    private func verify(_ table: MovedTable, _ expected: TableContent) throws {
        let done = begin("verifying", table, count: expected.count)
        var digest = RowDigest()
        try target.read(table) { row in
            done.add(1)
            digest.add(row)
        }
        let found = digest.content
        guard found.count == expected.count else {
            throw StoreFailure(
                "the copy is not complete: the table \(table.name) has \(found.count) of \(expected.count) rows")
        }
        guard found.hash == expected.hash else {
            throw StoreFailure("the copy differs from the source in the table \(table.name)")
        }
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
    /// The number of rows in all tables.
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
