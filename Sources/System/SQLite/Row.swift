internal import CSQLite
import SQL

/// The current row of a statement.
@safe
struct Row: SQLRow, ~Copyable {
    private let handle: OpaquePointer

    init(of handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? {
        let value = unsafe sqlite3_column_value(handle, column)
        return unsafe isNull(value) ? nil : sqlite3_value_int64(value)
    }

    func text(_ column: Int32) -> String { unsafe text(of: sqlite3_column_value(handle, column)) }

    func optionalText(_ column: Int32) -> String? {
        let value = unsafe sqlite3_column_value(handle, column)
        return unsafe isNull(value) ? nil : text(of: value)
    }

    func blob(_ column: Int32) -> [UInt8] { unsafe blob(of: sqlite3_column_value(handle, column)) }

    func optionalBlob(_ column: Int32) -> [UInt8]? {
        let value = unsafe sqlite3_column_value(handle, column)
        return unsafe isNull(value) ? nil : blob(of: value)
    }

    private func text(of value: OpaquePointer?) -> String {
        guard let bytes = unsafe sqlite3_value_text(value) else { return "" }
        let count = Int(unsafe sqlite3_value_bytes(value))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private func blob(of value: OpaquePointer?) -> [UInt8] {
        guard let bytes = unsafe sqlite3_value_blob(value) else { return [] }
        let count = Int(unsafe sqlite3_value_bytes(value))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func isNull(_ value: OpaquePointer?) -> Bool { unsafe sqlite3_value_type(value) == SQLITE_NULL }
}
