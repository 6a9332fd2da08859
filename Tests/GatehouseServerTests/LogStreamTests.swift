import JSON
import POSIX
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("The stream of the log")
struct LogStreamTests {
    /// A reader that takes nothing while it is told not to.
    private final class Reader: Sendable {
        private let isOpen = Monitor(true)
        private let taken = Monitor<[UInt8]>([])
        private let calls = Monitor(0)

        func take(_ bytes: [UInt8]) -> Bool {
            calls.change { $0 += 1 }
            isOpen.wait { $0 ? () : nil }
            taken.change { $0 += bytes }
            return true
        }

        func waitUntilAsked() { calls.wait { $0 > 0 ? () : nil } }

        func stop() { isOpen.change { $0 = false } }

        func goOn() { isOpen.change { $0 = true } }

        var lines: [String] {
            String(decoding: taken.change { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func numbers() throws -> [Int64] {
            try lines.compactMap { try JSONValue(parsing: $0).object?["number"]?.integer }
        }
    }

    private let reader = Reader()

    private func stream(isJournal: Bool = false, longestQueue: Int = 1 << 20) throws -> LogStream {
        try LogStream(isJournal: isJournal, longestQueue: longestQueue) { [reader] in reader.take($0) }
    }

    @Test("has every line, each in one piece and in the order in which it came, when it is closed")
    func order() throws {
        let stream = try stream()
        let log = Log(level: .info, to: stream)
        _ = try Crowd.of(8) { thread in
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

    @Test("keeps nobody waiting for a reader that does not read, and says afterwards what is missing, in its place")
    func stalledReader() throws {
        let stream = try stream(longestQueue: 4000)
        let log = Log(level: .info, to: stream)
        reader.stop()
        log(.info, "first")
        reader.waitUntilAsked()
        // Were it to wait, the test would end here.
        for number in 0..<500 { log(.info, "said", [("number", .integer(Int64(number)))]) }
        let dropped = stream.droppedLines
        #expect(dropped > 300 && dropped < 500)
        reader.goOn()
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

    @Test("is closed in time, whoever does not read")
    func hopelessReader() throws {
        let stream = try stream()
        reader.stop()
        Log(level: .info, to: stream)(.info, "last")
        stream.close(atMost: .milliseconds(50))
        reader.goOn()
    }

    @Test("takes nothing once it is closed, and counts that as lost")
    func closed() throws {
        let stream = try stream()
        stream.close(atMost: .seconds(20))
        Log(level: .info, to: stream)(.error, "late")
        #expect(stream.droppedLines == 1)
        #expect(reader.lines.isEmpty)
    }

    @Test("counts what could not be written")
    func gone() throws {
        let stream = try LogStream(isJournal: false) { _ in false }
        let log = Log(level: .info, to: stream)
        for _ in 0..<3 { log(.info, "lost") }
        stream.close(atMost: .seconds(20))
        #expect(stream.droppedLines == 3)
    }

    @Test(
        "has the priority of each line in front for the journal",
        arguments: [(LogLevel.debug, "<7>{"), (.info, "<6>{"), (.warning, "<4>{"), (.error, "<3>{")])
    func priorities(level: LogLevel, expected: String) throws {
        let stream = try stream(isJournal: true)
        Log(level: .debug, to: stream)(level, "said")
        stream.close(atMost: .seconds(20))
        #expect(reader.lines.count == 1)
        #expect(reader.lines[0].hasPrefix(expected))
    }

    @Test("says more or less from the moment on in which it is told to, whoever has the log")
    func level() throws {
        let stream = try stream()
        let log = Log(level: .error, to: stream)
        let other = log
        other(.info, "not said")
        log.setLevel(.debug)
        other(.debug, "said")
        stream.close(atMost: .seconds(20))
        #expect(reader.lines.count == 1)
    }
}
