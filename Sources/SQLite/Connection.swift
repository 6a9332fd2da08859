internal import CSQLite

/// One connection to a database file, and the statements it has prepared.
///
/// Not Sendable: SQLite's multi-thread mode wants each connection used by one thread at a time, and whoever owns
/// one sees to that.
@safe
package final class Connection {
    package enum Access: Sendable {
        case readWrite
        case readOnly
    }

    /// Of so many pages the memory is asked for at once, and kept.
    package static let pagesAtOnce = Library.pagesAtOnce

    private let handle: OpaquePointer
    private var prepared = PreparedStatements()

    /// - Parameter followsLinks: whether any part of the path may be a symbolic link. Where none may be, none may be
    ///   either in the path of a database that this connection attaches, or makes by `VACUUM INTO`.
    package init(path: String, access: Access, followsLinks: Bool = true) throws(SQLiteError) {
        Library.setUp
        let mode = access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let links = followsLinks ? 0 : SQLITE_OPEN_NOFOLLOW
        let flags = mode | links | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            // A handle comes back even from a failed open, and has to be given back.
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: result, message: unsafe String(cString: sqlite3_errstr(result)) + ": " + path)
        }
        unsafe handle = opened
    }

    deinit {
        prepared = PreparedStatements()
        unsafe sqlite3_close_v2(handle)
    }

    /// True also where writing was asked for: SQLite then opens for reading what it may not write, and says nothing.
    package var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Waits this long for another process's lock before it gives up with SQLITE_BUSY.
    package func setBusyTimeout(milliseconds: Int32) {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Leaves the write-ahead log as it is when this is the last connection. Otherwise SQLite moves it into the database
    /// then, and removes what it could not read of it.
    package func keepLogOnClose(_ keeps: Bool) throws(SQLiteError) {
        try check(unsafe gatehouse_keep_log_on_close(handle, keeps ? 1 : 0))
    }

    /// Runs any number of statements without values: schema and pragmas.
    package func execute(script: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// The statement for this text, prepared once and kept.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = prepared.find(sql) { return known }
        var pointer: OpaquePointer?
        try check(unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
        guard let pointer = unsafe pointer else { throw SQLiteError(code: SQLITE_MISUSE, message: "empty statement") }
        let statement = unsafe Statement(sql, takingOwnership: pointer)
        prepared.keep(statement)
        return statement
    }

    /// Runs a statement and returns how many rows it changed.
    @discardableResult
    package func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
        try statement(sql).run(values)
        return Int(unsafe sqlite3_changes64(handle))
    }

    /// The first row of a query, if there is one.
    package func first<Result>(
        _ sql: String, _ values: Value..., read: (borrowing Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result? {
        try statement(sql).first(values, read: read)
    }

    /// Every row of a query.
    package func all<Result>(
        _ sql: String, _ values: Value..., read: (borrowing Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> [Result] {
        try statement(sql).all(values, read: read)
    }

    /// Rows that have been changed since it was opened.
    package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// False once a transaction is open. Some failures (a full disk) end it behind our back.
    package var isInAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    private func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else {
            throw SQLiteError(code: result, message: unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }
}
