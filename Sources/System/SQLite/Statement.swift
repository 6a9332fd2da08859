internal import CSQLite
import SQL

/// A prepared statement. It is reset and its bindings are cleared after each use, also if reading a row throws.
@safe
final class Statement {
    let sql: String
    /// The next statement in the same bucket of `PreparedStatements`.
    var next: Statement?
    private let handle: OpaquePointer
    private let parameters: Int
    private var arena = Arena()

    init(_ sql: String, takingOwnership handle: OpaquePointer) {
        self.sql = sql
        unsafe self.handle = handle
        parameters = Int(unsafe sqlite3_bind_parameter_count(handle))
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
        _ values: [Value], read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(SQLiteError) -> Result? {
        try bind(values)
        defer { reset() }
        return try step() ? try currentRow(read) : nil
    }

    func all<Result>(
        _ values: [Value], read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(SQLiteError) -> [Result] {
        try bind(values)
        defer { reset() }
        var results: [Result] = []
        while try step() { results.append(try currentRow(read)) }
        return results
    }

    func forEach(encodedAs kinds: [ColumnKind], _ body: (Span<UInt8>) throws -> Void) throws {
        try bind([])
        defer { reset() }
        var encoder = RowEncoder()
        while try step() {
            unsafe encoder.encode(handle, as: kinds)
            try unsafe body(encoder.row.span)
        }
    }

    func run(encoded row: Span<UInt8>, as kinds: [ColumnKind]) throws {
        precondition(parameters == kinds.count, "the statement needs one column for each parameter")
        defer { reset() }
        var places = ColumnPlaces()
        for index in kinds.indices {
            let place = try places.next(in: row)
            let result = unsafe row.withUnsafeBytes { bytes in
                unsafe bind(place.map { unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]) }, kinds[index], index + 1)
            }
            guard result == SQLITE_OK else { throw failure(result) }
        }
        while try step() {}
    }

    /// SQLite does not copy the bytes. The caller keeps the row until the reset.
    private func bind(_ bytes: UnsafeRawBufferPointer?, _ kind: ColumnKind, _ index: Int) -> Int32 {
        guard let bytes = unsafe bytes else { return unsafe sqlite3_bind_null(handle, Int32(index)) }
        switch kind {
        case .text:
            let text = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
            return unsafe sqlite3_bind_text64(
                handle, Int32(index), text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        case .blob:
            return unsafe sqlite3_bind_blob64(handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), nil)
        case .number, .flag:
            return unsafe sqlite3_bind_int64(
                handle, Int32(index), bytes.reduce(0) { $0 << 8 | Int64($1) })
        }
    }

    /// Converts the error here, so that no closure has to declare its type.
    private func currentRow<Result>(_ read: (borrowing any SQLRow & ~Copyable) throws -> Result) throws(SQLiteError)
        -> Result
    {
        do { return try unsafe read(Row(of: handle)) } catch { throw SQLiteError(error) }
    }

    private func bind(_ values: [Value]) throws(SQLiteError) {
        precondition(parameters == values.count, "the statement needs one value for each parameter")
        guard parameters > 0 else { return }
        // A span, because an array copies each value that it gives.
        let span = values.span
        var byteCount = 0
        for index in span.indices { byteCount += span[index].byteCount }
        arena.clear(for: byteCount)
        for index in span.indices {
            let result = bind(span[index], at: Int32(index + 1))
            guard result == SQLITE_OK else {
                reset()
                throw failure(result)
            }
        }
    }

    /// With a null destructor (SQLITE_STATIC) SQLite does not copy the bytes. The arena keeps them until the reset.
    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            let bytes = unsafe UnsafeRawBufferPointer(arena.keep(text)).assumingMemoryBound(to: CChar.self)
            return unsafe sqlite3_bind_text64(
                handle, index, bytes.baseAddress, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        case .blob(let blob):
            let bytes = unsafe arena.keep(blob)
            return unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
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
        // The result repeats the error of the last step, which has already been thrown.
        unsafe sqlite3_reset(handle)
        if parameters > 0 { unsafe sqlite3_clear_bindings(handle) }
    }

    private func failure(_ result: Int32) -> SQLiteError {
        SQLiteError(code: result, message: unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }
}

/// A cache of prepared statements by SQL text.
///
/// The bucket is the length of the text, which differs for nearly all statements of this program: hashing
/// hundreds of bytes would take longer than the rest of the lookup. Comparing a literal with itself is fast,
/// since Swift compares addresses.
struct PreparedStatements {
    private var buckets = [Statement?](repeating: nil, count: 256)

    func find(_ sql: String) -> Statement? {
        var candidate = buckets[sql.utf8.count & 255]
        while let statement = candidate, statement.sql != sql { candidate = statement.next }
        return candidate
    }

    mutating func keep(_ statement: Statement) {
        let index = statement.sql.utf8.count & 255
        statement.next = buckets[index]
        buckets[index] = statement
    }
}

extension Value {
    /// The number of bytes to copy when the value is bound.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}

/// Memory for the bound texts and blobs of a statement, reused for each execution.
@safe
struct Arena: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        unsafe memory = .allocate(byteCount: 64, alignment: 1)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Discards the content and reserves `count` bytes. Addresses stay valid until the next call.
    mutating func clear(for count: Int) {
        used = 0
        guard unsafe memory.count <= count else { return }
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: count + 1, alignment: 1)
    }

    mutating func keep(_ text: String) -> UnsafeRawBufferPointer {
        unsafe keep(text.utf8.count) { unsafe $0.copyBytes(from: text.utf8) }
    }

    mutating func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        unsafe keep(bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// An empty text gets an address too: SQLite would bind a null pointer as NULL.
    private mutating func keep(
        _ count: Int, write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        let room = unsafe memory.count - used
        precondition(count < room, "clear(for:) must reserve enough bytes for all values")
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + count])
        unsafe write(place)
        used += count
        return UnsafeRawBufferPointer(place)
    }
}
