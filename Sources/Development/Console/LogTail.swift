import FileSystem
import JSON
import POSIX

/// The logs of the development server, as their files grow.
struct LogTail: Sendable {
    /// How long a request waits for a line.
    private static let patience = Duration.seconds(10)
    private static let pause = Duration.milliseconds(150)
    private static let chunk = 1 << 16
    /// The number of logs.
    static let count = 4

    private let files: [(source: LogLine.Source, path: String)]

    init(data: String) {
        files = [
            (.gatehouse, data + "/logs/gatehouse.log"), (.nginx, data + "/nginx/logs/gatehouse.access.log"),
            (.apple, data + "/logs/fake-apple.log"), (.console, data + "/logs/console.log"),
        ]
    }

    /// Waits until a log has lines behind the cursor, for some seconds at most.
    func next(after cursor: LogCursor, patience: Duration = Self.patience) -> LogPage {
        let deadline = MonotonicTime.now + patience
        var page = read(after: cursor)
        while page.lines.isEmpty, MonotonicTime.now < deadline {
            Thread.pause(for: Self.pause)
            page = read(after: cursor)
        }
        return page
    }

    private func read(after cursor: LogCursor) -> LogPage {
        var lines: [LogLine] = []
        var offsets: [Int64] = []
        for (index, file) in files.enumerated() {
            let (offset, text) = read(file.path, from: index < cursor.offsets.count ? cursor.offsets[index] : nil)
            lines += text.split(separator: UInt8(ascii: "\n")).map { LogLine(file.source, Array($0)) }
            offsets.append(offset + Int64(text.count))
        }
        return LogPage(lines: lines, cursor: LogCursor(offsets: offsets))
    }

    /// Whole lines from an offset. Without one, the last lines; from the beginning if the file has become shorter.
    private func read(_ path: String, from offset: Int64?) -> (offset: Int64, lines: ArraySlice<UInt8>) {
        let size = FileStatus.ifAny(at: path)?.size ?? 0
        var start = offset ?? max(0, size - Int64(Self.chunk))
        if start > size { start = 0 }
        guard size > start, let bytes = try? File.read(path, from: start, atMost: Self.chunk) else {
            return (start, [])
        }
        if offset == nil, start > 0 { return skippingFirstLine(bytes, at: start) }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            // A line that does not fit is skipped; otherwise its end has not been written yet.
            return bytes.count == Self.chunk ? (start + Int64(bytes.count), []) : (start, [])
        }
        return (start, bytes[...end])
    }
}

extension LogTail {
    /// The first line of the last bytes of a log is probably cut off.
    private func skippingFirstLine(_ bytes: [UInt8], at start: Int64) -> (offset: Int64, lines: ArraySlice<UInt8>) {
        let newline = UInt8(ascii: "\n")
        guard let first = bytes.firstIndex(of: newline), let last = bytes.lastIndex(of: newline) else {
            return (start + Int64(bytes.count), [])
        }
        return (start + Int64(first + 1), bytes[(first + 1)..<(last + 1)])
    }
}

/// How far each log has been read.
struct LogCursor: Sendable, Equatable {
    let offsets: [Int64]

    init(offsets: [Int64]) {
        self.offsets = offsets
    }

    /// Parses `text`. `end` has no offsets, so the last lines of each log are read.
    init?(_ text: String) {
        guard text != "end" else {
            self.init(offsets: [])
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == LogTail.count, parts.allSatisfy({ $0 != nil && $0! >= 0 }) else { return nil }
        self.init(offsets: parts.compactMap(\.self))
    }

    var text: String { offsets.map(String.init).joined(separator: "-") }
}

/// Lines of the logs, and the cursor behind them.
struct LogPage: Sendable {
    let lines: [LogLine]
    let cursor: LogCursor

    var json: JSONObject {
        ["lines": .array(lines.map { .object($0.json) }), "cursor": .string(cursor.text)]
    }
}

/// A line of a log. A line that is no JSON object, such as a message of the Swift runtime, is kept as text.
struct LogLine: Sendable, Equatable {
    enum Source: String, Sendable {
        case gatehouse, nginx, apple, console
    }

    let source: Source
    let text: String
    /// The members of a line of JSON.
    let members: JSONObject?

    init(_ source: Source, _ bytes: [UInt8]) {
        self.source = source
        text = String(decoding: bytes, as: UTF8.self)
        members = (try? JSONValue(parsing: bytes))?.object
    }

    /// Gatehouse's log calls it `id`.
    var requestID: String? { members?[source == .gatehouse ? "id" : "requestId"]?.string }

    var time: String? { members?["time"]?.string }

    var json: JSONObject {
        var json: JSONObject = ["source": .string(source.rawValue)]
        json["time"] = time.map(JSONValue.string)
        json["requestId"] = requestID.map(JSONValue.string)
        if let members { json["members"] = .object(members) } else { json["text"] = .string(text) }
        return json
    }
}
