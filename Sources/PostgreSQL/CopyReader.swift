internal import CPostgreSQL
package import SQL

extension Connection {
    /// Reads the rows of `COPY (SELECT …) TO STDOUT (FORMAT binary)` one after the other, without keeping them in
    /// memory. If `read` throws, the connection is given up: the server would send all other rows.
    package func copyOut(
        _ sql: String, read: (borrowing any SQLRow & ~Copyable) throws -> Void
    ) throws(PostgreSQLError) {
        try outsidePipeline { () throws(PostgreSQLError) in
            try handle.start(copy: sql, PGRES_COPY_OUT, within: answerTimeout)
            var fields = CopiedFields()
            while let message = try handle.nextCopied(within: answerTimeout) {
                guard try fields.parse(message) else { continue }
                do {
                    try read(CopiedRow(fields))
                } catch {
                    isGivenUp = true
                    throw PostgreSQLError(error)
                }
            }
            _ = try handle.lastResult(within: answerTimeout)
        }
    }
}

/// A message of a copy, which libpq has allocated.
@safe
struct CopiedMessage: ~Copyable {
    let bytes: UnsafeRawBufferPointer

    deinit {
        unsafe PQfreemem(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension Handle {
    /// Nil at the end of the copy.
    fileprivate func nextCopied(within timeout: Duration) throws(PostgreSQLError) -> CopiedMessage? {
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(pointer, &buffer, 1)
            if count > 0 {
                return unsafe CopiedMessage(bytes: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
            }
            guard count == 0 else { return nil }
            try exchange(within: timeout)
        }
    }
}
