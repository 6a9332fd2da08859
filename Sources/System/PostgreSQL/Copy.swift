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
        (self.handle, self.timeout) = (handle, timeout)
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

extension Connection {
    /// Reads the rows of `COPY (SELECT …) TO STDOUT (FORMAT binary)` one after the other, encoded and without keeping
    /// them in memory. If `read` throws, the connection is given up: the server would send all other rows.
    package func copyOut(_ sql: String, read: (Span<UInt8>) throws -> Void) throws(PostgreSQLError) {
        try outsidePipeline { () throws(PostgreSQLError) in
            try handle.start(copy: sql, PGRES_COPY_OUT, within: answerTimeout)
            var format = CopyFormat()
            while let message = try handle.nextCopied(within: answerTimeout) {
                guard let row = unsafe try format.row(in: message.bytes) else { continue }
                do {
                    unsafe try read(row.span)
                } catch {
                    isGivenUp = true
                    throw PostgreSQLError(error)
                }
            }
            _ = try handle.lastResult(within: answerTimeout)
        }
    }
}

/// The header and the trailer of a copy in binary format.
struct CopyFormat {
    static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    /// The signature, flags, and the length of an extension, which is empty.
    static let head = signature + [UInt8](repeating: 0, count: 8)
    /// The trailer: -1 in place of a row's number of columns.
    static let end: [UInt8] = [0xFF, 0xFF]

    private var isBegun = false

    /// Nil if the message has no row.
    mutating func row(in message: UnsafeBufferPointer<UInt8>) throws(PostgreSQLError) -> UnsafeBufferPointer<UInt8>? {
        var row = unsafe message
        if !isBegun {
            guard unsafe message.starts(with: Self.head) else { throw .unexpected }
            isBegun = true
            unsafe row = UnsafeBufferPointer(rebasing: message.dropFirst(Self.head.count))
        }
        let hasRow = unsafe !row.isEmpty && !row.starts(with: Self.end)
        return unsafe hasRow ? row : nil
    }
}

/// A message of a copy, which libpq has allocated.
@safe
struct CopiedMessage: ~Copyable {
    let bytes: UnsafeBufferPointer<UInt8>

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
                let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(count))
                return unsafe CopiedMessage(bytes: bytes.assumingMemoryBound(to: UInt8.self))
            }
            guard count == 0 else { return nil }
            try exchange(within: timeout)
        }
    }
}
