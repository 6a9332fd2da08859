package import JSON

/// One JSON object a line. It says what happened and to which request, and never a token, a secret, an address of a
/// person or a value that went into a query.
package struct Log: Sendable {
    private let threshold: LogThreshold
    private let stream: LogStream?
    private let write: @Sendable (LogLevel, [UInt8]) -> Void

    /// - Parameter stream: where lines go, in the order in which they come.
    package init(level: LogLevel, to stream: LogStream) {
        threshold = LogThreshold(level)
        self.stream = stream
        write = { stream.append($1, of: $0) }
    }

    /// - Parameter write: told of each line.
    package init(level: LogLevel, write: @escaping @Sendable (String) -> Void) {
        threshold = LogThreshold(level)
        stream = nil
        self.write = { write(String(decoding: $1, as: UTF8.self)) }
    }

    /// Says more or less from now on, whoever has this log.
    package func setLevel(_ level: LogLevel) { threshold.set(level) }

    func admits(_ level: LogLevel) -> Bool { threshold.admits(level) }

    package func callAsFunction(_ level: LogLevel, _ event: String, _ details: [(String, JSONValue)] = []) {
        line(level, event) { line in
            for (name, value) in details { line.member(name, value) }
        }
    }

    /// The same without a list in between, for what is said often.
    func line(_ level: LogLevel, _ event: String, _ members: (inout JSONObjectWriter) -> Void) {
        guard threshold.admits(level) else { return }
        write(level, LogLine.bytes(level, event, request: CurrentRequest.own.id, members))
    }

    /// Takes no more lines, and waits for a while until those there are have been written.
    func close(atMost time: Duration) { stream?.close(atMost: time) }

    /// How many lines have been lost for want of a reader.
    var droppedLines: Int { stream?.droppedLines ?? 0 }
}
