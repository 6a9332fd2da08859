import Foundation
import SQL
import SQLite
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("Group commit")
struct CommitQueueTests {
    private let folder: TemporaryFolder
    private let queue: CommitQueue
    private let reader: Connection
    private let writer: Connection

    init() throws {
        folder = try TemporaryFolder()
        let connection = try SQLiteStore.writingConnection(to: folder.file("q.db"))
        try connection.execute(script: "CREATE TABLE t (n INTEGER PRIMARY KEY, parent INTEGER CHECK (parent <> 13))")
        writer = connection
        queue = CommitQueue(connection)
        reader = try Connection(path: folder.file("q.db"), access: .readOnly)
    }

    private func rows() throws -> [Int64] { try reader.all("SELECT n FROM t ORDER BY n") { $0.integer(0) } }

    @Test("a write is committed when its call returns")
    func committed() throws {
        try queue.perform { connection in _ = try connection.run("INSERT INTO t (n) VALUES (1)") }
        #expect(try rows() == [1])
    }

    @Test("writes that wait for the lock of another process fail together, and a later one succeeds")
    func lockedOut() throws {
        let other = try Connection(path: folder.file("q.db"), access: .readWrite)
        try other.execute(script: "BEGIN IMMEDIATE")
        writer.setBusyTimeout(milliseconds: 50)
        let failures = try Concurrently.run(16) { [queue] number -> Bool in
            do {
                try queue.perform { connection in
                    _ = try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number)))
                }
                return false
            } catch { return (error as? SQLiteError)?.isBusy == true }
        }
        #expect(failures.allSatisfy { $0 })
        try other.execute(script: "ROLLBACK")
        try queue.perform { connection in _ = try connection.run("INSERT INTO t (n) VALUES (1)") }
        #expect(try rows() == [1])
    }

    @Test("a write that fails among concurrent writes is undone alone, and only its caller gets the error")
    func oneFailure() throws {
        let failures = try Concurrently.run(32) { [queue] number -> Int? in
            do {
                try queue.perform { connection in
                    // The failure of the second statement must undo the first.
                    try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number)))
                    let parent = number % 4 == 0 ? 13 : 1
                    try connection.run(
                        "INSERT INTO t (n, parent) VALUES (?, ?)", .integer(Int64(100 + number)),
                        .integer(Int64(parent)))
                }
                return nil
            } catch let error as SQLiteError where error.code == 275 {
                return number
            }
        }
        let failed = Set(failures.compactMap { $0 })
        #expect(failed == Set((0..<32).filter { $0 % 4 == 0 }))
        let kept = (0..<32).filter { !failed.contains($0) }.map(Int64.init)
        #expect(try rows() == kept + kept.map { $0 + 100 })
    }

    /// Lets `count` writes queue up while another one holds its transaction open, so that they share the next one.
    private func inOneTransaction<Outcome: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (_ number: Int) throws -> Outcome
    ) throws -> [Outcome] {
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holder = Background { [queue] in
            try? queue.perform { _ in
                begun.signal()
                gate.wait()
            }
            return []
        }
        begun.wait()
        let opener = Background { [queue] in
            _ = Eventually.holds { queue.waitingCount == count }
            gate.signal()
            return []
        }
        defer { _ = (holder.result(), opener.result()) }
        return try Concurrently.run(count, work)
    }

    @Test("a write that fails in a shared transaction is undone alone, and the others get their own results")
    func oneFailureInOneTransaction() throws {
        let results = try inOneTransaction(9) { [queue] number in
            let own = Int64(number)
            let found = try? queue.perform { connection in
                try connection.run("INSERT INTO t (n) VALUES (?)", .integer(own))
                if number == 4 { try connection.run("INSERT INTO t (n, parent) VALUES (100, 13)") }
                return try connection.first("SELECT n FROM t WHERE n = ?", .integer(own)) { $0.integer(0) } ?? -1
            }
            return (own, found)
        }
        #expect(results.allSatisfy { own, found in found == (own == 4 ? nil : own) })
        let others = (0..<9).map(Int64.init).filter { $0 != 4 }
        #expect(try rows() == others)
    }

    @Test("writes that wait for a transaction share the next one")
    func oneTransaction() throws {
        let path = folder.file("q.db")
        let committed = try inOneTransaction(20) { [queue] number -> Int64 in
            try queue.perform { connection in
                try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number)))
                // Another connection sees neither this write nor the earlier ones of the transaction.
                let other = try Connection(path: path, access: .readOnly)
                return try other.first("SELECT count(*) FROM t") { $0.integer(0) } ?? -1
            }
        }
        #expect(committed == Array(repeating: 0, count: 20))
        #expect(try rows() == (0..<20).map(Int64.init))
    }

    @Test("if a shared transaction fails, each of its callers gets the error")
    func lostForAll() throws {
        try queue.perform { connection in
            _ = try connection.all("PRAGMA max_page_count = 3") { $0.integer(0) }
        }
        let failed = try inOneTransaction(10) { [queue] number -> Bool in
            do {
                try queue.perform { connection in
                    for row in 0..<2000 {
                        try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number * 2000 + row)))
                    }
                }
                return false
            } catch is SQLiteError {
                return true
            }
        }
        #expect(failed == Array(repeating: true, count: 10))
        #expect(try rows().isEmpty)
    }

    @Test("each concurrent write is committed exactly once")
    func concurrent() throws {
        let total = 64 * 20
        _ = try Concurrently.run(64) { [queue] number in
            for turn in 0..<20 {
                try queue.perform { connection in
                    _ = try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number * 20 + turn)))
                }
            }
        }
        #expect(try rows() == (0..<total).map(Int64.init))
    }

    @Test("if a transaction fails, its caller gets the error, nothing of it is stored, and later writes succeed")
    func lostTransaction() throws {
        try queue.perform { connection in
            // A limit of the file's size has the effect of a full disk.
            _ = try connection.all("PRAGMA max_page_count = 3") { $0.integer(0) }
        }
        #expect(throws: SQLiteError.self) {
            try queue.perform { connection in
                for number in 0..<10_000 { try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number))) }
            }
        }
        #expect(try rows().isEmpty)
        try queue.perform { connection in
            _ = try connection.all("PRAGMA max_page_count = 1000") { $0.integer(0) }
        }
        try queue.perform { connection in _ = try connection.run("INSERT INTO t (n) VALUES (7)") }
        #expect(try rows() == [7])
    }
}
