import Foundation
import SQLite
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("The one writer")
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

    @Test("a write has been committed when its call returns")
    func committed() throws {
        try queue.perform { connection throws(SQLiteError) in _ = try connection.run("INSERT INTO t (n) VALUES (1)") }
        #expect(try rows() == [1])
    }

    @Test("writes that wait for another process fail together, and the next one finds the way free")
    func lockedOut() throws {
        let other = try Connection(path: folder.file("q.db"), access: .readWrite)
        try other.execute(script: "BEGIN IMMEDIATE")
        writer.setBusyTimeout(milliseconds: 50)
        let failures = try Crowd.of(16) { [queue] number -> Bool in
            do {
                try queue.perform { connection throws(SQLiteError) in
                    _ = try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number)))
                }
                return false
            } catch { return (error as? SQLiteError)?.isBusy == true }
        }
        #expect(failures.allSatisfy { $0 })
        try other.execute(script: "ROLLBACK")
        try queue.perform { connection throws(SQLiteError) in _ = try connection.run("INSERT INTO t (n) VALUES (1)") }
        #expect(try rows() == [1])
    }

    @Test("a write that fails in a crowd is undone alone, and its caller alone is told")
    func oneFailure() throws {
        let failures = try Crowd.of(32) { [queue] number -> Int? in
            do {
                try queue.perform { connection throws(SQLiteError) in
                    // What comes before the failure has to go with it.
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

    /// Has `count` writes wait while another one holds the transaction open, and lets them all go at once.
    private func inOneTransaction<Outcome: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (_ number: Int) throws -> Outcome
    ) throws -> [Outcome] {
        let gate = DispatchSemaphore(value: 0)
        let holder = Background { [queue] in
            try? queue.perform { _ throws(SQLiteError) in gate.wait() }
            return []
        }
        // The crowd starts while the holder is in, and queues up within this time on any machine.
        usleep(100_000)
        let opener = Background {
            usleep(500_000)
            gate.signal()
            return []
        }
        defer { _ = (holder.result(), opener.result()) }
        return try Crowd.of(count, work)
    }

    @Test("a write that fails in a shared transaction takes nobody with it, and those beside it are told what they did")
    func oneFailureInOneTransaction() throws {
        let told = try inOneTransaction(9) { [queue] number in
            let own = Int64(number)
            let found = try? queue.perform { connection throws(SQLiteError) in
                try connection.run("INSERT INTO t (n) VALUES (?)", .integer(own))
                if number == 4 { try connection.run("INSERT INTO t (n, parent) VALUES (100, 13)") }
                return try connection.first("SELECT n FROM t WHERE n = ?", .integer(own)) { $0.integer(0) } ?? -1
            }
            return (own, found)
        }
        #expect(told.allSatisfy { own, found in found == (own == 4 ? nil : own) })
        let others = (0..<9).map(Int64.init).filter { $0 != 4 }
        #expect(try rows() == others)
    }

    @Test("whoever waits for a transaction shares the next one")
    func oneTransaction() throws {
        let path = folder.file("q.db")
        let committed = try inOneTransaction(20) { [queue] number -> Int64 in
            try queue.perform { connection throws(SQLiteError) in
                try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number)))
                // What others see while this write is under way: nothing of it, nor of those before it.
                let other = try Connection(path: path, access: .readOnly)
                return try other.first("SELECT count(*) FROM t") { $0.integer(0) } ?? -1
            }
        }
        #expect(committed == Array(repeating: 0, count: 20))
        #expect(try rows() == (0..<20).map(Int64.init))
    }

    @Test("when a shared transaction is lost, everybody in it is told")
    func lostForAll() throws {
        try queue.perform { connection throws(SQLiteError) in
            _ = try connection.all("PRAGMA max_page_count = 3") { $0.integer(0) }
        }
        let failed = try inOneTransaction(10) { [queue] number -> Bool in
            do {
                try queue.perform { connection throws(SQLiteError) in
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

    @Test("a crowd loses no write and does none twice")
    func crowd() throws {
        let total = 64 * 20
        _ = try Crowd.of(64) { [queue] number in
            for turn in 0..<20 {
                try queue.perform { connection throws(SQLiteError) in
                    _ = try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number * 20 + turn)))
                }
            }
        }
        #expect(try rows() == (0..<total).map(Int64.init))
    }

    @Test("when the transaction as a whole fails, everybody in it is told and nothing of it is there")
    func lostTransaction() throws {
        try queue.perform { connection throws(SQLiteError) in
            // A file that may not grow is a full disk.
            _ = try connection.all("PRAGMA max_page_count = 3") { $0.integer(0) }
        }
        #expect(throws: SQLiteError.self) {
            try queue.perform { connection throws(SQLiteError) in
                for number in 0..<10_000 { try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number))) }
            }
        }
        #expect(try rows().isEmpty)
        try queue.perform { connection throws(SQLiteError) in
            _ = try connection.all("PRAGMA max_page_count = 1000") { $0.integer(0) }
        }
        try queue.perform { connection throws(SQLiteError) in _ = try connection.run("INSERT INTO t (n) VALUES (7)") }
        #expect(try rows() == [7])
    }
}
