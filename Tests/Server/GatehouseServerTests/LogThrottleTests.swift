import FileSystem
import GatehouseServer
import Testing

@testable import POSIX

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
