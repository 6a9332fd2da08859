import Testing

@testable import FastCGI
@testable import POSIX

@Suite("Noticing a suspension")
struct SuspensionWatchTests {
    private let start = MonotonicTime.now

    private func after(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(milliseconds: start.milliseconds + milliseconds)
    }

    @Test("Requests are in doubt from two seconds without a tick until ten seconds after the next tick")
    func doubt() {
        let watch = SuspensionWatch()
        watch.tick(at: after(1000))
        for time: Int64 in [1000, 2900, 3000] { #expect(!watch.isInDoubt(at: after(time)), "\(time)") }
        for time: Int64 in [3001, 9000] { #expect(watch.isInDoubt(at: after(time)), "\(time)") }
        watch.tick(at: after(9000))
        for time in stride(from: Int64(10_000), to: 19_000, by: 1000) {
            watch.tick(at: after(time))
            #expect(watch.isInDoubt(at: after(time)), "\(time)")
        }
        watch.tick(at: after(19_000))
        #expect(!watch.isInDoubt(at: after(19_000)))
    }
}
