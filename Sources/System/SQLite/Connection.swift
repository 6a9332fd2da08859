internal import CSQLite
package import SQL

/// A connection to a database file, with its prepared statements.
///
/// Not Sendable: in SQLite's multi-thread mode only one thread at a time may use a connection,
/// and the owner ensures that.
@safe
package final class Connection: SQLConnection {
    package enum Access: Sendable {
        case readWrite
        case readOnly
    }

    /// The number of pages that each connection allocates in one block and keeps.
    package static let pagesAtOnce = LibrarySettings.pagesAtOnce

    private let handle: OpaquePointer
    private var prepared = PreparedStatements()

    /// - Parameter followsLinks: whether any part of the path may be a symbolic link. It also applies to databases that
    ///   this connection attaches or creates with `VACUUM INTO`.
    package init(path: String, access: Access, followsLinks: Bool = true) throws(SQLiteError) {
        LibrarySettings.apply
        let mode = access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let links = followsLinks ? 0 : SQLITE_OPEN_NOFOLLOW
        let flags = mode | links | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            // A failed open also returns a handle, which has to be closed.
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: result, message: unsafe String(cString: sqlite3_errstr(result)) + ": " + path)
        }
        unsafe handle = opened
    }

    deinit {
        prepared = PreparedStatements()
        unsafe sqlite3_close_v2(handle)
    }

    /// May be true although write access was requested: SQLite silently opens a file read-only if it cannot write it.
    package var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Sets how long to wait for the lock of another process before failing with SQLITE_BUSY.
    package func setBusyTimeout(milliseconds: Int32) {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Keeps the write-ahead log when the last connection closes. By default SQLite then checkpoints it, and removes
    /// the part that it cannot read.
    package func keepLogOnClose(_ keeps: Bool) throws(SQLiteError) {
        try check(unsafe gatehouse_keep_log_on_close(handle, keeps ? 1 : 0))
    }

    /// Executes a script of statements without parameters, such as a schema or pragmas.
    package func execute(script: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// The prepared statement for this SQL, from the cache if it has been prepared before.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = prepared.find(sql) { return known }
        var pointer: OpaquePointer?
        try check(unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
        guard let pointer = unsafe pointer else { throw SQLiteError(code: SQLITE_MISUSE, message: "empty statement") }
        let statement = unsafe Statement(sql, takingOwnership: pointer)
        prepared.keep(statement)
        return statement
    }

    /// Executes a statement and returns the number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
        try statement(sql).run(values)
        return Int(unsafe sqlite3_changes64(handle))
    }

    package func send(_ sql: String, _ values: Value...) throws(SQLiteError) { try statement(sql).run(values) }

    package func send(_ sql: String, values: [Value]) throws(SQLiteError) { try statement(sql).run(values) }

    /// The first row of a query; nil if there is none.
    package func first<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(SQLiteError) -> Result? {
        try statement(sql).first(values, read: read)
    }

    /// All rows of a query.
    package func all<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(SQLiteError) -> [Result] {
        try statement(sql).all(values, read: read)
    }

    /// The number of rows changed since the connection was opened.
    package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// False while a transaction is open. SQLite rolls a transaction back after some errors, such as a full disk.
    package var isInAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    private func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else {
            throw SQLiteError(code: result, message: unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// The settings for all connections of this process.
enum LibrarySettings {
    static let pagesAtOnce: Int32 = 16

    /// Applies the settings before the first connection: SQLite rejects them later.
    ///
    /// By default SQLite counts its memory under a global lock, for which all threads contend, and
    /// allocates each page separately.
    static let apply: Void = {
        _ = gatehouse_count_memory(0)
        _ = gatehouse_pages_at_once(pagesAtOnce)
    }()
}

/// An error of SQLite. Its message names tables and columns, never a bound value.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The extended result code. Errors are distinguished by it, never by the text.
    package let code: Int32
    package let message: String

    package init(code: Int32, message: String) {
        (self.code, self.message) = (code, message)
    }

    /// Everything that runs on a connection throws one of these two. Another error would be a mistake in this program.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as SQLiteError: error
            // SQLITE_CORRUPT
            case let error as UnreadableValue: SQLiteError(code: 11, message: error.description)
            default: SQLiteError(code: 1, message: String(reflecting: type(of: error)))
            }
    }

    package var description: String { "SQLite \(code): \(message)" }

    /// SQLITE_CORRUPT or SQLITE_NOTADB: the database file is damaged.
    package var isDamage: Bool { [11, 26].contains(code & 0xFF) }

    /// SQLITE_BUSY or one of its extended codes: another connection holds a lock.
    package var isBusy: Bool { code & 0xFF == 5 }
}
