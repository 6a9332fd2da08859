import Gatehouse
package import JSON
import POSIX

/// One JSON object a line, on standard error. It says what happened and to which request, and never a token, a
/// secret, an address of a person or a value that went into a query.
package struct Log: Sendable {
    private let threshold: LogThreshold
    private let write: @Sendable (String) -> Void

    package init(level: LogLevel, write: @escaping @Sendable (String) -> Void = { StandardStream.error.line($0) }) {
        threshold = LogThreshold(level)
        self.write = write
    }

    /// From now on, for every copy.
    package func setLevel(_ level: LogLevel) { threshold.set(level) }

    package func callAsFunction(_ level: LogLevel, _ event: String, _ details: [(String, JSONValue)] = []) {
        guard threshold.admits(level) else { return }
        var line = JSONWriter(reserving: 256)
        line.object { line in
            line.member("time", Timestamp(milliseconds: WallClock.millisecondsSince1970()).description)
            line.member("level", level.rawValue)
            line.member("event", event)
            for (name, value) in details { line.member(name, value) }
        }
        write(String(decoding: line.bytes, as: UTF8.self))
    }
}
