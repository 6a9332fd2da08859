import FileSystem
import Gatehouse
import SQLite
import Synchronization

/// The store in one SQLite file.
///
/// It uses a write-ahead log, so that readers never wait for the writer, and `synchronous=FULL`, so that an answered
/// write survives a power failure. Connections are closed in the order of the properties: the writer removes the log
/// when it is the last connection, and the lock is released at the end.
package final class SQLiteStore: Sendable {
    let readers: ReaderPool
    /// Only in a server, whose maintenance ends it regularly.
    let standing: StandingRead?
    let writer: CommitQueue
    private let lock: DatabaseLock
    /// A counter in shared memory, which operators' commands increment. Nil in a command if no server has run yet.
    let counter: SharedCounter?
    let purgeCursor = Mutex(PurgeCursor())
    let lastOutcome = Mutex<WriteOutcome?>(nil)
    private let hasFailed = Atomic(false)
    let path: String
    private let onFailure: @Sendable () -> Void

    /// Opens the file for a server. Creates it when it does not exist, and migrates its schema.
    ///
    /// - Parameters:
    ///   - onFailure: called for each failure, for metrics.
    ///   - onCommit: called for each transaction, for metrics.
    package convenience init(
        path: String, onFailure: @escaping @Sendable () -> Void = {},
        onCommit: @escaping @Sendable (Commit) -> Void = { _ in }
    ) throws {
        let lock = try Self.lock(path, waiting: .seconds(10))
        let connection = try Self.writingConnection(to: path)
        _ = try Migrator(connection).migrate()
        try self.init(path: path, connection, lock, isServer: true, onFailure: onFailure, onCommit: onCommit)
    }

    /// Opens the file for an operator's command, while a server may be running. Creates nothing, and does not migrate
    /// an older schema.
    package convenience init(besideServerAt path: String) throws {
        // Checked first, because opening for writing would create the file.
        guard File.exists(path) else { throw StoreFailure("there is no database: " + path) }
        let lock: DatabaseLock
        do { lock = try Self.lock(path, waiting: .seconds(5)) } catch let fault as Migrator.Fault {
            throw StoreFailure(fault.description)
        }
        let connection = try Self.open(path)
        if let advice = try Migrator(connection).advice() { throw StoreFailure(advice) }
        try Self.makeDurable(connection)
        try self.init(path: path, connection, lock, isServer: false, onFailure: {}, onCommit: { _ in })
    }

    private init(
        path: String, _ connection: Connection, _ lock: DatabaseLock, isServer: Bool,
        onFailure: @escaping @Sendable () -> Void, onCommit: @escaping @Sendable (Commit) -> Void
    ) throws {
        self.path = path
        self.onFailure = onFailure
        self.lock = lock
        let standing = isServer ? StandingRead(try Self.readingConnection(to: path)) : nil
        self.standing = standing
        writer = CommitQueue(connection, beside: standing, onCommit: onCommit)
        readers = ReaderPool(beside: standing) { () throws(SQLiteError) in try Self.readingConnection(to: path) }
        counter = try Self.revocationCounter(of: path, creating: isServer)
    }
}

extension SQLiteStore: Store {}

// MARK: - Reading and writing

extension SQLiteStore {
    /// Runs a read for the store contract.
    func reading<Result>(_ body: (Connection) throws -> Result) throws(Refusal) -> Result {
        do throws(StoreFailure) { return try read(body) } catch { throw .storageUnavailable(error) }
    }

    /// Runs a write for the store contract. It has been committed when this returns.
    func writing<Result>(_ body: @escaping (Connection) throws -> Result) throws(Refusal) -> Result {
        do throws(StoreFailure) { return try write(body) } catch { throw .storageUnavailable(error) }
    }

    func read<Result>(_ body: (Connection) throws -> Result) throws(StoreFailure) -> Result {
        do { return try readers.read(body) } catch { throw failure(error) }
    }

    func write<Result>(_ body: @escaping (Connection) throws -> Result) throws(StoreFailure) -> Result {
        do {
            let (result, hasWritten) = try writer.perform { connection in
                let before = connection.totalChanges
                return (try body(connection), connection.totalChanges != before)
            }
            // A transaction without changes also succeeds on a full disk, so it is not recorded.
            if hasWritten { recordSuccess() }
            return result
        } catch {
            let failure = failure(error)
            hasFailed.store(true, ordering: .relaxed)
            lastOutcome.withLock { $0 = WriteOutcome(failure: failure, at: .now) }
            throw failure
        }
    }

    /// Concurrent successes need not all be recorded, but the first one after a failure must be.
    private func recordSuccess() {
        let success = WriteOutcome(failure: nil, at: .now)
        if hasFailed.exchange(false, ordering: .relaxed) {
            lastOutcome.withLock { $0 = success }
        } else {
            _ = lastOutcome.withLockIfAvailable { $0 = success }
        }
    }

    /// The one place where an error of SQLite becomes a failure of the store.
    private func failure(_ error: any Error) -> StoreFailure {
        onFailure()
        let error = SQLiteError(error)
        return StoreFailure(error.description, cause: error.cause)
    }
}
