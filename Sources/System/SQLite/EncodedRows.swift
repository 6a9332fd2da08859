internal import CSQLite
package import SQL

extension Connection {
    /// Reads the rows of a query one after the other, encoded and without keeping them in memory. Rethrows the error of
    /// `body`.
    package func forEach(
        _ sql: String, encodedAs kinds: [ColumnKind], _ body: (Span<UInt8>) throws -> Void
    ) throws {
        try statement(sql).forEach(encodedAs: kinds, body)
    }

    /// Executes a statement with the columns of an encoded row as its values.
    package func run(_ sql: String, encoded row: Span<UInt8>, as kinds: [ColumnKind]) throws {
        try statement(sql).run(encoded: row, as: kinds)
    }
}

/// The memory for an encoded row, reused for each row.
@safe
struct RowEncoder: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        unsafe memory = .allocate(byteCount: 4096, alignment: 1)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Valid until the next row.
    var row: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: memory.bindMemory(to: UInt8.self)[..<used])
    }

    mutating func encode(_ statement: OpaquePointer, as kinds: [ColumnKind]) {
        used = 0
        reserve(ColumnPlaces.headByteCount)
        append(Int16(kinds.count))
        for index in kinds.indices { unsafe append(sqlite3_column_value(statement, Int32(index)), as: kinds[index]) }
    }

    private mutating func append(_ value: OpaquePointer?, as kind: ColumnKind) {
        reserve(12)
        guard unsafe sqlite3_value_type(value) != SQLITE_NULL else { return append(Int32(-1)) }
        switch kind {
        case .number:
            append(Int32(8))
            append(unsafe sqlite3_value_int64(value))
        case .flag:
            append(Int32(1))
            append(unsafe sqlite3_value_int64(value) == 0 ? 0 : 1 as UInt8)
        case .text, .blob:
            // Also the bytes of a text: asking for a text would copy it to terminate it.
            let start = unsafe sqlite3_value_blob(value)
            unsafe append(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(4 + bytes.count)
        append(Int32(bytes.count))
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: bytes)
        used += bytes.count
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        unsafe memory.storeBytes(of: number.bigEndian, toByteOffset: used, as: Number.self)
        used += MemoryLayout<Number>.size
    }

    private mutating func reserve(_ count: Int) {
        let room = unsafe memory.count - used
        guard room < count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: (used + count) * 2, alignment: 1)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<used]))
        unsafe memory.deallocate()
        unsafe memory = larger
    }
}
