internal import CPostgreSQL

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
        let first = unsafe UInt8(bitPattern: PQcmdStatus(pointer).pointee)
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
