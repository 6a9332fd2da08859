import FileSystem
import Gatehouse
import JSON
import Testing

@testable import GatehouseServer
@testable import POSIX

@Suite("The log")
struct LogTests {
    private let lines = Monitor<[String]>([])

    private func log(_ level: LogLevel) -> Log {
        Log(level: level) { [lines] line in lines.change { $0.append(line) } }
    }

    private var written: [String] { lines.change { $0 } }

    @Test("a line is one JSON object: time, level, event and details")
    func line() throws {
        log(.info)(.warning, "storage", [("fault", "disk\n\"full\"\u{1}\u{2028}"), ("count", 7), ("is_new", true)])
        let line = try #require(written.first)
        #expect(written.count == 1)
        #expect(!line.contains("\n"))
        let object = try #require(try JSONValue(parsing: line).object)
        #expect(object.names == ["time", "level", "event", "fault", "count", "is_new"])
        #expect(object["level"] == "warning")
        #expect(object["event"] == "storage")
        #expect(object["fault"] == "disk\n\"full\"\u{1}\u{2028}")
        #expect(object["count"] == 7)
        let time = try #require(object["time"]?.string)
        #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ/) != nil)
    }

    @Test("a log writes its level and more severe ones", arguments: LogLevel.allCases)
    func levels(level: LogLevel) throws {
        let log = log(level)
        for event in LogLevel.allCases { log(event, event.rawValue) }
        let order: [LogLevel] = [.debug, .info, .warning, .error]
        let expected = try #require(order.firstIndex(of: level)).distance(to: order.count)
        #expect(written.count == expected)
        for (line, event) in zip(written, order.suffix(expected)) {
            #expect(try JSONValue(parsing: line).object?["event"]?.string == event.rawValue)
        }
    }

    @Test("a failure of the database is logged once a second, whatever the number of requests that meet it")
    func storeFailures() {
        let log = log(.info)
        for request in 1...100 {
            log.storeFailure(StoreFailure("no answer"), "request-\(request)")
            log.storeFailure(StoreFailure("full"))
        }
        // A slow machine may take several seconds for this.
        #expect(written.count >= 2 && written.count < 100)
        #expect(Set(written.map { $0.contains("no answer") }) == [true, false])
    }
}

@Suite("Throttled log messages")
struct LogThrottleTests {
    private func after(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1000) }

    @Test("a message is permitted at once, and again after its interval")
    func again() {
        let occasionally = LogThrottle(every: .seconds(60))
        let permitted = [0, 1, 59, 60, 61, 119, 120].filter { occasionally.permits("a", at: after($0)) }
        #expect(permitted == [0, 60, 120])
    }

    @Test("different messages are throttled independently")
    func others() {
        let occasionally = LogThrottle(every: .seconds(60))
        #expect(["a", "b", "a", "b"].map { occasionally.permits($0, at: after(0)) } == [true, true, false, false])
    }

    @Test("the number of different messages in an interval is limited")
    func flood() {
        let occasionally = LogThrottle(every: .seconds(60))
        #expect((0..<1000).filter { occasionally.permits("\($0)", at: after(0)) }.count == 16)
        #expect(occasionally.permits("1000", at: after(60)))
    }
}
