import FileSystem
import Gatehouse
import POSIX
import SQL
import SQLite

extension SQLiteStore {
    static func revocationCounter(of path: String, creating: Bool) throws -> SharedCounter? {
        let name = path + "-sign"
        do throws(POSIXError) { return try SharedCounter.open(name, creating: creating) } catch {
            guard error.isLink else { throw error }
            throw StoreFailure("\(name) is a link to another file: rm \(name), and restart the server")
        }
    }

    /// Prevents a restore for as long as the returned lock lives.
    static func lock(_ path: String, waiting timeout: Duration) throws -> DatabaseLock {
        // No lock file is created beside a database of another program.
        if !DatabaseLock.exists(for: path), File.exists(path) { try SQLiteMigrator(open(path)).ownVersion() }
        return try DatabaseLock.shared(path, waiting: timeout)
    }

    /// The connection that migrates and writes. It does not change a database of another program.
    package static func writingConnection(to path: String) throws -> Connection {
        let connection = try open(path)
        try SQLiteMigrator(connection).ownVersion()
        try makeDurable(connection)
        return connection
    }

    static func open(_ path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readWrite)
        guard !connection.isReadOnly else {
            throw SQLiteError(code: 8, message: "this user cannot write the database: " + path)
        }
        // Operators' commands and migrations write too, for a short time.
        connection.setBusyTimeout(milliseconds: 5000)
        // A database of another program must stay unchanged. `makeDurable` reverts this once the schema is checked.
        try connection.keepLogOnClose(true)
        return connection
    }

    static func makeDurable(_ connection: Connection) throws(SQLiteError) {
        try connection.keepLogOnClose(false)
        guard try enableWriteAheadLog(connection) else {
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

    /// Switches to the write-ahead log. SQLite needs exclusive access for that and ignores the busy timeout, so
    /// processes that start at the same moment collide here.
    private static func enableWriteAheadLog(_ connection: Connection) throws(SQLiteError) -> Bool {
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

    static func readingConnection(to path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        // There is one for each worker, and every commit invalidates its cache: a small one is enough.
        try connection.execute(script: "PRAGMA cache_size = \(Connection.pagesAtOnce); PRAGMA query_only = ON;")
        return connection
    }
}

extension Connection {
    /// Opens a database by its path without links. A link that replaces a part of the path meanwhile is refused, also
    /// in the path of a copy that this connection makes.
    convenience init(at path: String, access: Access) throws(SQLiteError) {
        try self.init(path: File.withoutLinks(path), access: access, followsLinks: false)
    }
}

/// The files of a database as a server has opened them.
///
/// When one is removed or replaced, the server goes on writing to the open file, which ends with the process. Another
/// process, and each further connection of the server, would open other files.
struct OpenFiles: Sendable {
    private let files: [(path: String, status: FileStatus)]

    init(ofDatabaseAt path: String) {
        files = ["", "-wal", "-shm"].compactMap { suffix in
            FileStatus.ifAny(at: path + suffix).map { (path + suffix, $0) }
        }
    }

    func requireInPlace() throws(StoreFailure) {
        for (path, opened) in files {
            let found = FileStatus.ifAny(at: path)
            guard found.map({ !$0.isSameFile(as: opened) }) ?? File.isMissing(path) else { continue }
            throw StoreFailure(
                "\(path) was removed or replaced while the server has it open", cause: .displaced)
        }
    }
}

/// A database file that is missing or empty although there was a database.
///
/// Its disk is not mounted, or it was removed or moved away. An empty database in its place would have no user, and every
/// client would sign its user out, while the server reports that it is ready.
package struct MissingDatabase: Error, Sendable, CustomStringConvertible {
    let path: String
    /// The file that says that there was a database.
    package let evidence: String

    /// Nil if a database is there, or if there never was one.
    ///
    /// - Parameter mark: a file outside of the folder that says so; nil if there is none.
    package init?(at path: String, mark: String?) {
        guard !Self.hasContent(path) else { return nil }
        // Every server makes this file beside its database. It is left when the database alone is removed.
        let marks = [mark, path + "-sign"].compactMap { $0 }.filter { !File.isMissing($0) }
        // SQLite would remove a log that lies beside an empty database.
        let log = [path + "-wal"].filter(Self.hasContent)
        guard let evidence = (log + marks).first else { return nil }
        (self.path, self.evidence) = (path, evidence)
    }

    /// A file that this user cannot look up may have content: opening it reports that.
    private static func hasContent(_ path: String) -> Bool {
        if let status = FileStatus.ifAny(at: path) { return status.size > 0 }
        return !File.isMissing(path)
    }

    package var description: String {
        "the database \(path) is missing or empty, but there was one (\(evidence)): \(Self.advice)"
    }

    package static let advice =
        "mount its disk, correct DATABASE_URL, or restore a backup; to begin with an empty database, in which every user is "
        + "new, run gatehouse migrate --create"
}
