internal import CPostgreSQL

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
