import GatehouseServer
import POSIX
import Testing

@Suite("What is said occasionally")
struct OccasionallyTests {
    private func after(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1000) }

    @Test("is said at once, and again when its time has passed")
    func again() {
        let occasionally = Occasionally(every: .seconds(60))
        let said = [0, 1, 59, 60, 61, 119, 120].filter { occasionally.permits("a", at: after($0)) }
        #expect(said == [0, 60, 120])
    }

    @Test("does not keep other things from being said")
    func others() {
        let occasionally = Occasionally(every: .seconds(60))
        #expect(["a", "b", "a", "b"].map { occasionally.permits($0, at: after(0)) } == [true, true, false, false])
    }

    @Test("is never more than a few things at a time")
    func flood() {
        let occasionally = Occasionally(every: .seconds(60))
        #expect((0..<1000).filter { occasionally.permits("\($0)", at: after(0)) }.count == 16)
        #expect(occasionally.permits("1000", at: after(60)))
    }
}
