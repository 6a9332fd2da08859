import FileSystem
import Gatehouse
package import JSON
package import POSIX
import Processes
import Synchronization

/// The log: one JSON object per line. It never contains a token, a secret, a personal address or a value of a query.
package struct Log: Sendable {
    private let threshold: LogThreshold
    private let stream: LogStream?
    private let storeThrottle = LogThrottle(every: .seconds(1))
    private let write: @Sendable (LogLevel, [UInt8]) -> Void

    /// - Parameter stream: writes the lines in order.
    package init(level: LogLevel, to stream: LogStream) {
        threshold = LogThreshold(level)
        self.stream = stream
        write = { stream.append($1, of: $0) }
    }

    /// - Parameter write: called for each line.
    package init(level: LogLevel, write: @escaping @Sendable (String) -> Void) {
        threshold = LogThreshold(level)
        stream = nil
        self.write = { write(String(decoding: $1, as: UTF8.self)) }
    }

    /// Changes the level of all copies of this log.
    package func setLevel(_ level: LogLevel) { threshold.set(level) }

    func admits(_ level: LogLevel) -> Bool { threshold.admits(level) }

    package func callAsFunction(
        _ level: LogLevel, _ event: String, _ details: [(String, JSONValue)] = [], requestID: String? = nil
    ) {
        line(level, event, requestID: requestID) { line in
            for (name, value) in details { line.member(name, value) }
        }
    }

    /// The same without an array, for frequent lines.
    func line(
        _ level: LogLevel, _ event: String, requestID: String? = nil, _ members: (inout JSONObjectWriter) -> Void
    ) {
        guard threshold.admits(level) else { return }
        write(level, LogLine.bytes(level, event, requestID: requestID, members))
    }

    /// At most once a second for each fault, since every request meets it while the database cannot be reached.
    func storeFailure(_ failure: StoreFailure, _ requestID: String? = nil) {
        guard storeThrottle.permits(failure.description) else { return }
        self(.error, "storage", [("fault", .string(failure.description))], requestID: requestID)
    }

    /// Logs the failure of a store call that no request waits for.
    func storeFailure(_ refusal: Refusal) {
        if case .storageUnavailable(let failure) = refusal { storeFailure(failure) }
    }

    /// Accepts no more lines, and waits for a limited time until the queued ones have been written.
    func close(atMost time: Duration) { stream?.close(atMost: time) }

    /// The number of lines that were lost because nothing read the log.
    var droppedLines: Int { stream?.droppedLines ?? 0 }
}

/// The format of a line: time, level, event, the id of the request, and details.
enum LogLine {
    static func bytes(
        _ level: LogLevel, _ event: String, requestID: String? = nil, _ members: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 384)
        json.object { line in
            line.member("time", utf8: Timestamp(milliseconds: WallClock.millisecondsSince1970()).text.span)
            line.member("level", level.rawValue)
            line.member("event", event)
            if let requestID { line.member("id", requestID) }
            members(&line)
        }
        return json.finish()
    }
}

package enum LogLevel: String, Sendable, CaseIterable {
    case debug
    case info
    case warning
    case error

    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// The prefix by which the journal recognises the level (sd-daemon(3)).
    var journalPrefix: String {
        switch self {
        case .debug: "<7>"
        case .info: "<6>"
        case .warning: "<4>"
        case .error: "<3>"
        }
    }
}

/// The lowest level that is written, shared by all copies of a log.
private final class LogThreshold: Sendable {
    private let rank: Atomic<Int>

    init(_ level: LogLevel) {
        rank = Atomic(level.rank)
    }

    func admits(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }

    func set(_ level: LogLevel) { rank.store(level.rank, ordering: .relaxed) }
}

/// Limits how often the same line is logged, for faults that every request would repeat: once per interval, so that
/// the end of the log shows the fault as long as it lasts.
package final class LogThrottle: Sendable {
    /// Bounds the memory. Further lines are suppressed.
    private static let maximumLines = 16

    private let interval: Duration
    private let due = Mutex<[String: MonotonicTime]>([:])

    package init(every interval: Duration) {
        self.interval = interval
    }

    /// Whether the line may be logged now. A permitted call counts as logged.
    package func permits(_ line: String, at now: MonotonicTime = .now) -> Bool {
        due.withLock { due in
            due = due.filter { now < $0.value }
            guard due[line] == nil, due.count < Self.maximumLines else { return false }
            due[line] = now + interval
            return true
        }
    }
}

/// The log line about an error that ends the process, for when there is no log yet, or no longer.
package enum FatalLine {
    /// Whether standard error is connected to the journal, which expects a priority before each line.
    package static var isForJournal: Bool {
        StandardStream.error.isJournal(named: ProcessEnvironment.variables()["JOURNAL_STREAM"])
    }

    package static func write(_ fault: String, of command: String) {
        let line = LogLine.bytes(.error, "fatal") { line in
            line.member("command", command)
            line.member("fault", fault)
        }
        let prefix = isForJournal ? LogLevel.error.journalPrefix : ""
        StandardStream.error.line(prefix + String(decoding: line, as: UTF8.self))
    }
}
