import Foundation
import JSON
import TestSupport
import Testing

@testable import Console

@Suite("The live log")
struct LogTailTests {
    private let folder: TemporaryFolder
    private let tail: LogTail

    init() throws {
        folder = try TemporaryFolder()
        for name in ["logs", "nginx/logs"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        tail = LogTail(data: folder.path)
    }

    private func write(_ text: String, to name: String) throws {
        let path = folder.file(name)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func next(_ cursor: LogCursor) -> LogPage { tail.next(after: cursor, patience: .zero) }

    private static let start = LogCursor(offsets: [0, 0, 0, 0])

    @Test("Each line comes once, from each log, with its request id")
    func lines() throws {
        try write(#"{"time":"2026-01-02T03:04:05.678Z","event":"request","id":"a"}"# + "\n", to: "logs/gatehouse.log")
        try write(
            #"{"time":"2026-01-02T03:04:05+00:00","requestId":"a"}"# + "\n", to: "nginx/logs/gatehouse.access.log")
        try write("fake Apple: http://127.0.0.1:8444\n", to: "logs/fake-apple.log")
        try write(#"{"fault":"lost","requestId":"b"}"# + "\n", to: "logs/console.log")
        let page = next(Self.start)
        #expect(page.lines.map(\.source) == [.gatehouse, .nginx, .apple, .console])
        #expect(page.lines.map(\.requestID) == ["a", "a", nil, "b"])
        #expect(page.lines.map(\.time) == ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05+00:00", nil, nil])
        #expect(page.lines[2].json["text"] == "fake Apple: http://127.0.0.1:8444")
        #expect(next(page.cursor).lines.isEmpty)
        try write("{}\n", to: "logs/fake-apple.log")
        #expect(next(page.cursor).lines.map(\.source) == [.apple])
    }

    @Test("A line without its end is kept for later")
    func partial() throws {
        try write("{}\n{\"a\":", to: "logs/gatehouse.log")
        let page = next(Self.start)
        #expect(page.lines.count == 1)
        try write("1}\n", to: "logs/gatehouse.log")
        #expect(next(page.cursor).lines.map(\.text) == [#"{"a":1}"#])
    }

    @Test("A log that has become shorter is read from its beginning")
    func truncated() throws {
        try write("{}\n{}\n", to: "logs/gatehouse.log")
        let page = next(Self.start)
        try Data("{}\n".utf8).write(to: URL(fileURLWithPath: folder.file("logs/gatehouse.log")))
        #expect(next(page.cursor).lines.count == 1)
    }

    @Test("At first only the last lines of a long log are read, without a line that is cut off")
    func long() throws {
        try write(
            String(repeating: #"{"n":1}"# + "\n", count: 20_000) + #"{"last":true}"# + "\n", to: "logs/gatehouse.log")
        let page = next(LogCursor(offsets: []))
        #expect(page.lines.count < 10_000 && page.lines.last?.text == #"{"last":true}"#)
        #expect(page.lines.allSatisfy { $0.members != nil })
    }

    @Test("A line longer than a page does not stop the log")
    func endless() throws {
        try write(String(repeating: "x", count: 200_000) + "\n{}\n", to: "logs/gatehouse.log")
        var page = next(Self.start)
        for _ in 1...5 where page.lines.last?.text != "{}" { page = next(page.cursor) }
        #expect(page.lines.last?.text == "{}")
    }

    @Test("Logs that do not exist yet are empty")
    func missing() {
        #expect(next(Self.start).lines.isEmpty)
    }

    @Test(
        "A cursor is four offsets, or `end` before the first page", arguments: ["end", "0-0-0-0", "1-2-3-40000000000"])
    func cursor(text: String) {
        #expect(LogCursor(text)?.text == (text == "end" ? "" : text))
    }

    @Test(
        "Any other text is refused as a cursor",
        arguments: ["", "x", "1-", "1-2", "1-2-3", "1-2-3-4-5", "-1", "1--2", "../x", "1-2-3-99999999999999999999"])
    func noCursor(text: String) {
        #expect(LogCursor(text) == nil)
    }
}
