package import Gatehouse
package import SQLite

/// The store on one SQLite file.
///
/// Write-ahead log, so that readers never wait for the writer; `synchronous=FULL`, so that what was answered survives
/// a power cut.
package final class SQLiteStore: Sendable {
    // Closed in this order: the last connection tidies the log away, and one that only reads cannot.
    let readers: ReaderPool
    let writer: CommitQueue
    private let report: @Sendable (String) -> Void

    /// Opens the file, creates it where there is none, and brings its schema up to date.
    ///
    /// - Parameter report: told of each failure, for the log; the caller of the store only learns that there was one.
    package init(path: String, report: @escaping @Sendable (String) -> Void = { _ in }) throws {
        self.report = report
        let connection = try Self.writingConnection(to: path)
        _ = try Migrator(connection).migrate()
        writer = CommitQueue(connection)
        readers = ReaderPool { () throws(SQLiteError) in try Self.readingConnection(to: path) }
    }

    /// The connection that migrates and writes.
    package static func writingConnection(to path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, access: .readWrite)
        guard !connection.isReadOnly else {
            throw SQLiteError(code: 8, message: "this user cannot write the database: " + path)
        }
        // Other processes of ours (a migration, an operator's command) write too; they are short.
        connection.setBusyTimeout(milliseconds: 5000)
        let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
        guard mode == "wal" else {
            throw SQLiteError(code: 1, message: "this file system cannot hold a write-ahead log")
        }
        try connection.execute(
            script: """
                PRAGMA synchronous = FULL;
                PRAGMA foreign_keys = ON;
                PRAGMA journal_size_limit = 67108864;
                """)
        return connection
    }

    private static func readingConnection(to path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        // There is one for each worker: 512 KiB each hold the upper pages of every index.
        try connection.execute(script: "PRAGMA cache_size = -512; PRAGMA query_only = ON;")
        return connection
    }

    /// Crosses the seam between what SQLite says and what the domain knows.
    func failing<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreFailure) -> Result {
        do { return try body() } catch {
            report(error.description)
            throw StoreFailure(error.description)
        }
    }
}

extension SQLiteStore: Store {
    package func user(_ id: UserID) throws(StoreFailure) -> User? {
        try failing { () throws(SQLiteError) in
            try readers.read { connection throws(SQLiteError) in try connection.user(id) }
        }
    }

    package func user(provider: Provider, subject: String) throws(StoreFailure) -> User? {
        try failing { () throws(SQLiteError) in
            try readers.read { connection throws(SQLiteError) in
                try connection.user(provider: provider, subject: subject)
            }
        }
    }

    package func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? {
        try failing { () throws(SQLiteError) in
            try readers.read { connection throws(SQLiteError) in try connection.session(id) }
        }
    }

    package func sessionsRevoked(since moment: Timestamp) throws(StoreFailure) -> [(SessionID, Timestamp)] {
        try failing { () throws(SQLiteError) in
            try readers.read { connection throws(SQLiteError) in try connection.sessionsRevoked(since: moment) }
        }
    }

    package func create(_ user: User, with login: NewSession) throws(StoreFailure) -> Bool {
        try failing { () throws(SQLiteError) in
            try writer.perform { connection throws(SQLiteError) in
                guard try connection.insert(user, with: login.identity) else { return false }
                try connection.insert(login.session)
                return true
            }
        }
    }

    package func add(_ login: NewSession) throws(StoreFailure) -> User? {
        try failing { () throws(SQLiteError) in
            try writer.perform { connection throws(SQLiteError) in
                guard let user = try connection.recordLogin(login) else { return nil }
                try connection.insert(login.session)
                return user
            }
        }
    }

    package func advance(_ id: SessionID, to token: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool {
        try failing { () throws(SQLiteError) in
            try writer.perform { connection throws(SQLiteError) in
                try connection.advance(id, to: token, now: now)
            }
        }
    }

    package func revoke(_ id: SessionID, for reason: RevokeReason, now: Timestamp) throws(StoreFailure) -> Bool {
        try failing { () throws(SQLiteError) in
            try writer.perform { connection throws(SQLiteError) in
                try connection.revoke(id, for: reason, now: now)
            }
        }
    }
}
