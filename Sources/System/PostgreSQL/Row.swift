internal import CPostgreSQL
import SQL

/// A row whose columns are in binary format.
protocol BinaryRow: SQLRow, ~Copyable {
    /// Nil for NULL. The bytes live as long as the row.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer?
}

extension BinaryRow where Self: ~Copyable {
    func integer(_ column: Int32) -> Int64 { optionalInteger(column) ?? 0 }

    /// The value of a BOOLEAN, SMALLINT, INTEGER, BIGINT or XID8.
    func optionalInteger(_ column: Int32) -> Int64? {
        guard let bytes = unsafe bytes(column) else { return nil }
        return switch bytes.count {
        case 8: unsafe Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(unsafe Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(unsafe Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: unsafe bytes[0] == 0 ? 0 : 1
        default: preconditionFailure("the column is no integer: cast it to bigint")
        }
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        guard let bytes = unsafe bytes(column) else { return nil }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] { optionalBlob(column) ?? [] }

    func optionalBlob(_ column: Int32) -> [UInt8]? {
        guard let bytes = unsafe bytes(column) else { return nil }
        return unsafe Array(bytes)
    }
}

/// A row of a result.
@safe
struct Row: BinaryRow, ~Copyable {
    private let result: OpaquePointer
    private let index: Int32

    init(_ index: Int32, of result: OpaquePointer) {
        self.index = index
        unsafe self.result = result
    }

    func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        precondition(unsafe column >= 0 && column < PQnfields(result), "the result has no such column")
        let count = Int(unsafe PQgetlength(result, index, column))
        if count == 0, unsafe PQgetisnull(result, index, column) == 1 { return nil }
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, index, column), count: count)
    }
}
