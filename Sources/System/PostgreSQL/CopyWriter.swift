internal import CPostgreSQL

extension Connection {
    /// Copies rows into a table: `COPY things (id, name) FROM STDIN (FORMAT binary)`. Returns their number. If it throws,
    /// no row was copied, unless the error says that the outcome is unknown.
    @discardableResult
    package func copyIn(
        _ sql: String, _ body: (CopyWriter) throws -> Void
    ) throws(PostgreSQLError) -> Int {
        var rows = 0
        try outsidePipeline { () throws(PostgreSQLError) in
            try handle.start(copy: sql, PGRES_COPY_IN, within: answerTimeout)
            let writer = CopyWriter(handle, timeout: answerTimeout)
            var failure: PostgreSQLError?
            do {
                try body(writer)
                try writer.end()
            } catch {
                failure = PostgreSQLError(error)
            }
            rows = try writer.finish(failure)
        }
        return rows
    }
}

extension Handle {
    func start(copy sql: String, _ direction: ExecStatusType, within timeout: Duration) throws(PostgreSQLError) {
        guard unsafe PQsendQuery(pointer, sql) == 1 else { throw .lost }
        guard let result = try nextResult(within: timeout) else { throw .unexpected }
        if result.has(direction) { return }
        guard let failure = result.failure else { throw .unexpected }
        while try nextResult(within: timeout) != nil {}
        throw failure
    }
}

/// Sends rows in COPY's binary format, in large parts.
package final class CopyWriter {
    private static let partSize = 1 << 17

    private let handle: Handle
    private let timeout: Duration
    private var part = CopyFormat.head

    init(_ handle: Handle, timeout: Duration) {
        self.handle = handle
        self.timeout = timeout
        part.reserveCapacity(Self.partSize + 4096)
    }

    /// - Parameter row: an encoded row with the columns of the statement.
    package func append(_ row: Span<UInt8>) throws(PostgreSQLError) {
        unsafe row.withUnsafeBufferPointer { unsafe part.append(contentsOf: $0) }
        if part.count >= Self.partSize { try flush() }
    }

    func end() throws(PostgreSQLError) {
        part += CopyFormat.end
        try flush()
    }

    private func flush() throws(PostgreSQLError) {
        try handle.put(part, within: timeout)
        part.removeAll(keepingCapacity: true)
    }

    /// Ends the copy. After a failure the server discards all rows.
    func finish(_ failure: PostgreSQLError?) throws(PostgreSQLError) -> Int {
        if let failure, failure.isSessionEnd { throw failure }
        // Fails if the server has refused a row: then its error is the result.
        unsafe PQputCopyEnd(handle.pointer, failure == nil ? nil : "the rows could not be read")
        do throws(PostgreSQLError) {
            return try handle.lastResult(within: timeout).changes
        } catch {
            throw error.isSessionEnd || failure == .copyEnded ? error : failure ?? error
        }
    }
}

extension Handle {
    /// Waits until the bytes have been sent, so that libpq does not keep them all in memory. If the server refuses a
    /// row, it reads no further ones, and its error is the result of the statement.
    fileprivate func put(_ bytes: [UInt8], within timeout: Duration) throws(PostgreSQLError) {
        let status = unsafe bytes.withUnsafeBytes {
            unsafe PQputCopyData(pointer, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        guard status == 1 else { throw isConnected ? .copyEnded : .lost }
        try flush(within: timeout)
    }
}

extension PostgreSQLError {
    static let copyEnded = PostgreSQLError(.statement, "the server ended the copy")
}
