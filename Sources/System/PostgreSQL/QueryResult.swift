internal import CPostgreSQL
import SQL

/// Owner of a result of libpq: rows, an error, or a mark of the pipeline.
@safe
struct QueryResult: ~Copyable {
    private let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    private var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    func has(_ expected: ExecStatusType) -> Bool { status == expected }

    var isSync: Bool { status == PGRES_PIPELINE_SYNC }

    /// The statement was skipped after an error earlier in the pipeline.
    var isSkipped: Bool { status == PGRES_PIPELINE_ABORTED }

    var rows: Int32 { unsafe PQntuples(pointer) }

    func row(_ index: Int32) -> Row { unsafe Row(index, of: pointer) }

    /// The number of rows that the statement changed or returned.
    var changes: Int { unsafe Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// Whether the statement changed rows. Its tag is INSERT, UPDATE or DELETE, and a number.
    var isChange: Bool {
        let first = unsafe UInt8(truncatingIfNeeded: PQcmdStatus(pointer).pointee)
        return (first == UInt8(ascii: "I") || first == UInt8(ascii: "U") || first == UInt8(ascii: "D")) && changes > 0
    }

    /// The server executed a rollback, which is also its answer to the commit of a failed transaction.
    var isRollback: Bool { unsafe String(cString: PQcmdStatus(pointer)) == "ROLLBACK" }

    /// Nil unless this is an error.
    var failure: PostgreSQLError? {
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        guard let state = field(GATEHOUSE_PG_SQLSTATE) else { return .lost }
        return PostgreSQLError(
            isFatal ? .connection : .statement, sqlState: state, message(of: state, field(GATEHOUSE_PG_MESSAGE)))
    }

    /// The server ends the session.
    private var isFatal: Bool { ["FATAL", "PANIC"].contains(field(GATEHOUSE_PG_SEVERITY)) }

    /// Messages of class 22 (data) and 23 (constraints) may quote values.
    private func message(of state: String, _ message: String?) -> String {
        switch state.prefix(2) {
        case "22": "the server rejects a value"
        case "23": "a row violates \(field(GATEHOUSE_PG_CONSTRAINT) ?? field(GATEHOUSE_PG_COLUMN) ?? "a constraint")"
        default: message ?? "error without a message"
        }
    }

    private func field<Key: BinaryInteger>(_ key: Key) -> String? {
        unsafe PQresultErrorField(pointer, Int32(key)).map { unsafe String(cString: $0) }
    }
}

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
