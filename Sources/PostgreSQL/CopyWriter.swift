internal import CPostgreSQL
package import SQL

extension Connection {
    /// Copies rows into a table: `COPY things (id, name) FROM STDIN`. Returns their number. If it throws, no row was
    /// copied, unless the error says that the outcome is unknown.
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
                try writer.flush()
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

/// Encodes rows in COPY's text format, and sends them in large parts.
package final class CopyWriter {
    private static let partSize = 1 << 17

    private let handle: Handle
    private let timeout: Duration
    private var part: [UInt8] = []

    init(_ handle: Handle, timeout: Duration) {
        self.handle = handle
        self.timeout = timeout
        part.reserveCapacity(Self.partSize + 4096)
    }

    package func append(_ values: [Value]) throws(PostgreSQLError) {
        for (index, value) in values.enumerated() {
            if index > 0 { part.append(UInt8(ascii: "\t")) }
            try append(value)
        }
        part.append(UInt8(ascii: "\n"))
        if part.count >= Self.partSize { try flush() }
    }

    private func append(_ value: Value) throws(PostgreSQLError) {
        switch value {
        case .null: part += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
        case .integer(let number): part += String(number).utf8
        case .text(let text): try append(text)
        case .blob(let bytes): append(bytes)
        }
    }

    private func append(_ text: String) throws(PostgreSQLError) {
        for byte in text.utf8 {
            switch byte {
            case 0: throw .zeroByte
            case UInt8(ascii: "\\"): part += [byte, byte]
            case UInt8(ascii: "\n"): part += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): part += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case UInt8(ascii: "\t"): part += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            default: part.append(byte)
            }
        }
    }

    /// `\x` and hexadecimal digits. The backslash is escaped.
    private func append(_ bytes: [UInt8]) {
        part += [UInt8(ascii: "\\"), UInt8(ascii: "\\"), UInt8(ascii: "x")]
        for byte in bytes {
            part.append(Self.digits[Int(byte >> 4)])
            part.append(Self.digits[Int(byte & 15)])
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    func flush() throws(PostgreSQLError) {
        guard !part.isEmpty else { return }
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
    /// Waits until the bytes have been sent, so that libpq does not keep them all in memory. The server may refuse a row; then it
    /// takes no further ones, and its error is the result of the statement.
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
