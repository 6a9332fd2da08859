import Gatehouse
import POSIX
package import SQLite
import Synchronization

/// The store on one SQLite file.
///
/// Write-ahead log, so that readers never wait for the writer; `synchronous=FULL`, so that what was answered survives
/// a power cut.
package final class SQLiteStore: Sendable {
    // Closed in this order: the last connection tidies the log away, and one that only reads cannot. Then who wants the
    // database alone may have it.
    let readers: ReaderPool
    /// Nil where no housekeeping would end it.
    let standing: StandingRead?
    let writer: CommitQueue
    private let lock: DatabaseLock
    /// Counted up by who ends something beside a server. Nil where no server has ever run.
    let sign: SharedCounter?
    let sweep = Mutex(Sweep())
    let outcome = Mutex<WriteOutcome?>(nil)
    private let hasFailed = Atomic(false)
    let path: String
    private let report: @Sendable (String) -> Void

    /// Opens the file, creates it where there is none, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - report: told of each failure, for the log; the caller of the store only learns that there was one.
    ///   - observe: told of each transaction, for whoever counts.
    package convenience init(
        path: String, report: @escaping @Sendable (String) -> Void = { _ in },
        observe: @escaping @Sendable (Commit) -> Void = { _ in }
    ) throws {
        let lock = try Self.lock(path, waiting: .seconds(10))
        let connection = try Self.writingConnection(to: path)
        _ = try Migrator(connection).migrate()
        try self.init(path: path, connection, lock, isServer: true, report: report, observe: observe)
    }

    /// Opens the file beside a server that may be running. What is missing is not made, and an older schema is left to
    /// the server or to `migrate`.
    package convenience init(besideServerAt path: String) throws {
        // Asked first, since opening for writing would make it.
        guard File.exists(path) else { throw StoreFailure("there is no database: " + path) }
        let lock: DatabaseLock
        do { lock = try Self.lock(path, waiting: .seconds(5)) } catch let fault as Migrator.Fault {
            throw StoreFailure(fault.description)
        }
        let connection = try Self.open(path)
        if let advice = try Migrator(connection).advice() { throw StoreFailure(advice) }
        try Self.makeDurable(connection)
        try self.init(path: path, connection, lock, isServer: false, report: { _ in }, observe: { _ in })
    }

    private init(
        path: String, _ connection: Connection, _ lock: DatabaseLock, isServer: Bool,
        report: @escaping @Sendable (String) -> Void, observe: @escaping @Sendable (Commit) -> Void
    ) throws {
        self.path = path
        self.report = report
        self.lock = lock
        let standing = isServer ? StandingRead(try Self.readingConnection(to: path)) : nil
        self.standing = standing
        writer = CommitQueue(connection, beside: standing, observe: observe)
        readers = ReaderPool(beside: standing) { () throws(SQLiteError) in try Self.readingConnection(to: path) }
        sign = try Self.sign(of: path, creating: isServer)
    }

    private static func sign(of path: String, creating: Bool) throws -> SharedCounter? {
        let name = path + "-sign"
        do throws(POSIXError) { return try SharedCounter.open(name, creating: creating) } catch {
            guard error.isLink else { throw error }
            throw StoreFailure("\(name) is a link to another file: rm \(name), and restart the server")
        }
    }

    /// Keeps a restore away for as long as the result lives.
    static func lock(_ path: String, waiting patience: Duration) throws -> DatabaseLock {
        // Nothing is left beside a file that is not ours.
        if !DatabaseLock.isKnown(path), File.exists(path) { try Migrator(open(path)).ownVersion() }
        return try DatabaseLock.shared(path, waiting: patience)
    }

    /// The connection that migrates and writes. It leaves a file alone that is not ours.
    package static func writingConnection(to path: String) throws -> Connection {
        let connection = try open(path)
        try Migrator(connection).ownVersion()
        try makeDurable(connection)
        return connection
    }

    private static func open(_ path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readWrite)
        guard !connection.isReadOnly else {
            throw SQLiteError(code: 8, message: "this user cannot write the database: " + path)
        }
        // Other processes of ours (a migration, an operator's command) write too; they are short.
        connection.setBusyTimeout(milliseconds: 5000)
        // Until it has turned out to be ours, and whole enough to say so.
        try connection.keepLogOnClose(true)
        return connection
    }

    private static func makeDurable(_ connection: Connection) throws(SQLiteError) {
        try connection.keepLogOnClose(false)
        guard try writesAhead(connection) else {
            throw SQLiteError(code: 1, message: "this file system cannot hold a write-ahead log")
        }
        try connection.execute(
            script: """
                PRAGMA synchronous = FULL;
                PRAGMA foreign_keys = ON;
                PRAGMA secure_delete = ON;
                PRAGMA journal_size_limit = 67108864;
                """)
    }

    /// Changes the journal's mode, for which SQLite wants the file for itself and, unlike for anything else, does not wait:
    /// processes that start at the same moment meet here.
    private static func writesAhead(_ connection: Connection) throws(SQLiteError) -> Bool {
        for _ in 0..<100 {
            do throws(SQLiteError) {
                return try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) } == "wal"
            } catch {
                guard error.isBusy else { throw error }
                Thread.pause(for: .milliseconds(50))
            }
        }
        return try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) } == "wal"
    }

    private static func readingConnection(to path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        // There is one for each worker, and it forgets all pages whenever somebody has written: it needs few.
        try connection.execute(script: "PRAGMA cache_size = \(Connection.pagesAtOnce); PRAGMA query_only = ON;")
        return connection
    }

    func reading<Result>(_ body: (Connection) throws(SQLiteError) -> Result) throws(StoreFailure) -> Result {
        try failing { () throws(SQLiteError) in try readers.read(body) }
    }

    /// What this returns has been committed.
    func writing<Result>(
        _ body: @escaping (Connection) throws(SQLiteError) -> Result
    ) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            let (result, hasWritten) = try failing { () throws(SQLiteError) in
                try writer.perform { connection throws(SQLiteError) in
                    let before = connection.totalChanges
                    return (try body(connection), connection.totalChanges != before)
                }
            }
            // On a full disk, to find that there is nothing to write goes well.
            if hasWritten { noteSuccess() }
            return result
        } catch {
            hasFailed.store(true, ordering: .relaxed)
            outcome.withLock { $0 = WriteOutcome(failure: error, at: .now) }
            throw error
        }
    }

    /// One of many at a moment is enough, but for the first after a failure.
    private func noteSuccess() {
        let success = WriteOutcome(failure: nil, at: .now)
        if hasFailed.exchange(false, ordering: .relaxed) {
            outcome.withLock { $0 = success }
        } else {
            _ = outcome.withLockIfAvailable { $0 = success }
        }
    }

    /// Crosses the seam between what SQLite says and what the domain knows.
    private func failing<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreFailure) -> Result {
        do { return try body() } catch {
            report(error.description)
            throw StoreFailure(error.description, cause: error.cause)
        }
    }
}
