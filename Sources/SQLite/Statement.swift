internal import CSQLite

/// A prepared statement. It is reset and its values are let go after each use, also when reading a row throws.
@safe
package final class Statement {
    private let handle: OpaquePointer

    init(takingOwnership handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    func run(_ values: [Value]) throws(SQLiteError) {
        try bind(values)
        defer { reset() }
        while try step() {}
    }

    func first<Result>(
        _ values: [Value], read: (borrowing Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result? {
        try bind(values)
        defer { reset() }
        return try step() ? try unsafe read(Row(of: handle)) : nil
    }

    func all<Result>(
        _ values: [Value], read: (borrowing Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> [Result] {
        try bind(values)
        defer { reset() }
        var results: [Result] = []
        while try step() { results.append(try unsafe read(Row(of: handle))) }
        return results
    }

    private func bind(_ values: [Value]) throws(SQLiteError) {
        precondition(Int(unsafe sqlite3_bind_parameter_count(handle)) == values.count, "a value for each parameter")
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else {
                reset()
                throw failure(result)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, a cast that C macros do not carry over: SQLite copies the bytes during the call.
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            return unsafe sqlite3_bind_text64(
                handle, index, text, UInt64(text.utf8.count), copied, UInt8(SQLITE_UTF8))
        case .blob(let bytes):
            // An empty array has no address, and a null address would bind NULL.
            guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
            return unsafe sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), copied)
        }
    }

    private func step() throws(SQLiteError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(result)
        }
    }

    private func reset() {
        // The result repeats the failure of the last step, which has been thrown already.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func failure(_ result: Int32) -> SQLiteError {
        SQLiteError(code: result, message: unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }
}
