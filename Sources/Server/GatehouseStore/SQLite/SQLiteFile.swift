import FileSystem
package import Gatehouse
import POSIX
import SQL
import SQLite

/// A database file that an operator migrates or examines. Each examination uses a read-only connection of its own, so
/// it never blocks a server.
package struct SQLiteFile {
    let path: String

    package init(path: String) {
        self.path = path
    }

    /// Brings the schema up to date and returns the names of the steps that were missing.
    ///
    /// - Parameters:
    ///   - mark: a file that says that there was a database.
    ///   - creating: whether a missing database is created although there was one.
    package func migrate(
        mark: String? = nil, creating: Bool = false, progress: Progress = Progress()
    ) throws -> [String] {
        progress.begin("opening the database")
        let lock = try SQLiteStore.lock(path, waiting: .seconds(10))
        defer { withExtendedLifetime(lock) {} }
        if !creating, let missing = MissingDatabase(at: path, mark: mark) { throw missing }
        return try SQLiteMigrator(SQLiteStore.writingConnection(to: path)).migrate(progress: progress)
    }

    package func document(_ name: String) throws -> Document? {
        try Connection(at: path, access: .readOnly).document(name)
    }
}

extension SQLiteFile: ExaminedDatabase {
    package func schema() throws -> SchemaState {
        do {
            let found = try SQLiteMigrator(reader()).ownVersion()
            let known = SQLiteMigrator.latest
            if found > known { return .newerButUsable(found: found, known: known) }
            return found < known ? .older(found: found, known: known) : .current
        } catch let fault as SchemaFault {
            switch fault {
            case .databaseIsForeign: return .foreign
            case .databaseIsNewer(let found, let known): return .newer(found: found, known: known)
            }
        }
    }

    /// The damage in the file, at most five lines.
    ///
    /// - Parameter deep: also compares every index with its table, which takes several times as long. The write-ahead
    ///   log grows until the comparison ends.
    package func damage(deep: Bool) throws -> [String] {
        do throws(SQLiteError) { return try examined(deep: deep) } catch {
            // Other errors concern the file system, not the contents.
            guard error.isDamage else { throw error }
            return [error.description]
        }
    }

    private func examined(deep: Bool) throws(SQLiteError) -> [String] {
        let connection = try reader()
        if deep { return try connection.damage("PRAGMA integrity_check(5)") }
        // Table by table, so that checkpoints are possible in between.
        let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
        var found: [String] = []
        for table in tables where found.count < 5 {
            let name = table.replacing("'", with: "''")
            found += try connection.damage("PRAGMA quick_check('\(name)')")
        }
        return Array(found.prefix(5))
    }

    package func newestMoment() throws -> Timestamp? { try reader().newestMoment() }

    package func numbers(after last: String, limit: Int) throws -> [String] {
        try reader().numbers(after: last, limit: limit)
    }

    package func role(of address: CodeAddress) throws -> Role? { try reader().role(of: address) }

    package func usersWithoutPhone() throws -> Int { try reader().usersWithoutPhone() }

    package func rpIDOfPasskeys() throws -> String? { try reader().rpIDOfPasskeys() }

    package func receiverStates() throws -> [ReceiverState] { try reader().receiverStates() }

    /// The time of the oldest user or audit entry.
    package func oldestMoment() throws -> Timestamp? {
        try reader().moments(
            "SELECT created_at FROM users ORDER BY id LIMIT 1", "SELECT moment FROM audit_events ORDER BY rowid LIMIT 1"
        ).min()
    }

    func reader() throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        return connection
    }
}

extension Connection {
    fileprivate func damage(_ query: String) throws(SQLiteError) -> [String] {
        try all(query) { $0.text(0) }.filter { $0 != "ok" }
    }
}

extension SQLiteFile {
    package func sealedValues(byFirst headByteCount: Int) throws -> [(head: [UInt8], count: Int)] {
        try reader().sealedValues(byFirst: headByteCount)
    }
}

/// Measurements of the store at one moment, for metrics. A value that cannot be read is nil.
package struct StoreStatistics: Sendable {
    package var databaseBytes: Int64?
    /// The size of the write-ahead log.
    package var logBytes: Int64?
    /// The size of the file system that holds both.
    package var totalBytes: Int64?
    package var freeBytes: Int64?
    /// Writes that wait for the current transaction.
    package var waitingWrites: Int
    /// The Apple tasks that are not done yet; nil when the database cannot be read.
    package var appleBacklog: [AppleBacklog]?
    /// When the last verified backup was made.
    package var backedUpAt: Timestamp?
    /// Why the database could not be read.
    package var failure: StoreFailure?
    /// Nil if the database is a file.
    package var server: ServerStatistics?
}

extension SQLiteStore: ServerStore {
    package func statistics() -> StoreStatistics {
        let space = try? FileSystemStatus(at: path)
        var statistics = StoreStatistics(
            databaseBytes: FileStatus.ifAny(at: path)?.size, logBytes: FileStatus.ifAny(at: path + "-wal")?.size,
            totalBytes: space?.totalBytes, freeBytes: space?.freeBytes, waitingWrites: writer.waitingCount)
        do throws(StoreFailure) {
            try probeFiles()
            (statistics.appleBacklog, statistics.backedUpAt) = try read {
                (try $0.appleBacklog(), try $0.document(DocumentName.lastBackup)?.updatedAt)
            }
        } catch {
            statistics.failure = error
        }
        return statistics
    }
}

extension SQLiteError {
    /// By the primary result code, except where only the extended code tells a write from a read.
    var cause: StoreFailure.Cause {
        switch code {
        // SQLITE_IOERR_WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _SHMSIZE
        case 778, 1034, 1290, 1546, 4874: return .unwritable
        default: break
        }
        return switch code & 0xFF {
        case 5, 6: .busy
        case 8: .readOnly
        case 13: .full
        case 11, 26: .damaged
        case 10, 14, 23: .unreadable
        default: .other
        }
    }
}
