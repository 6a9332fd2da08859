import JSON
import POSIX
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("The stream of the log")
struct LogStreamTests {
    /// A reader that can be paused.
    private final class PausableReader: Sendable {
        private let isOpen = Monitor(true)
        private let received = Monitor<[UInt8]>([])
        private let calls = Monitor(0)

        func read(_ bytes: [UInt8]) -> Bool {
            calls.change { $0 += 1 }
            isOpen.wait { $0 ? () : nil }
            received.change { $0 += bytes }
            return true
        }

        func waitUntilCalled() { calls.wait { $0 > 0 ? () : nil } }

        func pause() { isOpen.change { $0 = false } }

        func resume() { isOpen.change { $0 = true } }

        var lines: [String] {
            String(decoding: received.change { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func numbers() throws -> [Int64] {
            try lines.compactMap { try JSONValue(parsing: $0).object?["number"]?.integer }
        }
    }

    private let reader = PausableReader()

    private func stream(isJournal: Bool = false, longestQueue: Int = 1 << 20) throws -> LogStream {
        try LogStream(isJournal: isJournal, longestQueue: longestQueue) { [reader] in reader.read($0) }
    }

    @Test("a closed stream has written every line, whole and in order")
    func order() throws {
        let stream = try stream()
        let log = Log(level: .info, to: stream)
        _ = try Concurrently.run(8) { thread in
            for number in 0..<200 { log(.info, "\(thread)", [("number", .integer(Int64(number)))]) }
        }
        stream.close(atMost: .seconds(20))
        let lines = try reader.lines.map { try #require(try JSONValue(parsing: $0).object) }
        #expect(lines.count == 1600)
        for thread in 0..<8 {
            let own = lines.filter { $0["event"]?.string == "\(thread)" }.compactMap { $0["number"]?.integer }
            #expect(own == Array(0..<200))
        }
        #expect(stream.droppedLines == 0)
    }

    @Test("a slow reader blocks no caller, and the number of dropped lines is logged in their place")
    func stalledReader() throws {
        let stream = try stream(longestQueue: 4000)
        let log = Log(level: .info, to: stream)
        reader.pause()
        log(.info, "first")
        reader.waitUntilCalled()
        // A stream that blocks would stop the test here.
        for number in 0..<500 { log(.info, "said", [("number", .integer(Int64(number)))]) }
        let dropped = stream.droppedLines
        #expect(dropped > 300 && dropped < 500)
        reader.resume()
        #expect(Eventually.holds { reader.lines.contains { $0.contains("log_lines_dropped") } })
        log(.info, "said", [("number", 500)])
        stream.close(atMost: .seconds(20))
        let numbers = try reader.numbers()
        #expect(numbers == Array(0..<Int64(500 - dropped)) + [500])
        let missing = reader.lines.filter { $0.contains("log_lines_dropped") }
        #expect(try missing.map { try JSONValue(parsing: $0).object?["count"]?.integer } == [Int64(dropped)])
        let gap = try #require(missing.first)
        #expect(reader.lines.firstIndex(of: gap) == numbers.count)
    }

    @Test("closing has a time limit even if the reader does not read")
    func blockedReader() throws {
        let stream = try stream()
        reader.pause()
        Log(level: .info, to: stream)(.info, "last")
        stream.close(atMost: .milliseconds(50))
        reader.resume()
    }

    @Test("a line after the stream was closed is dropped and counted")
    func closed() throws {
        let stream = try stream()
        stream.close(atMost: .seconds(20))
        Log(level: .info, to: stream)(.error, "late")
        #expect(stream.droppedLines == 1)
        #expect(reader.lines.isEmpty)
    }

    @Test("a line that could not be written is counted as dropped")
    func failedWrite() throws {
        let stream = try LogStream(isJournal: false) { _ in false }
        let log = Log(level: .info, to: stream)
        for _ in 0..<3 { log(.info, "lost") }
        stream.close(atMost: .seconds(20))
        #expect(stream.droppedLines == 3)
    }

    @Test(
        "each line for the journal begins with its priority",
        arguments: [(LogLevel.debug, "<7>{"), (.info, "<6>{"), (.warning, "<4>{"), (.error, "<3>{")])
    func priorities(level: LogLevel, expected: String) throws {
        let stream = try stream(isJournal: true)
        Log(level: .debug, to: stream)(level, "written")
        stream.close(atMost: .seconds(20))
        #expect(reader.lines.count == 1)
        #expect(reader.lines[0].hasPrefix(expected))
    }

    @Test("a change of the level takes effect at once in every copy of the log")
    func level() throws {
        let stream = try stream()
        let log = Log(level: .error, to: stream)
        let other = log
        other(.info, "not written")
        log.setLevel(.debug)
        other(.debug, "written")
        stream.close(atMost: .seconds(20))
        #expect(reader.lines.count == 1)
    }
}
