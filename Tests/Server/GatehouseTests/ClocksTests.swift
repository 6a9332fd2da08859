import Gatehouse
import Synchronization
import Testing

@Suite("Comparison of clocks")
struct ClocksTests {
    private static let noon = Timestamp(seconds: 43_200)
    private let store = ClockStore()
    private let machine = Machine()

    private func clocks(_ report: @escaping @Sendable (ClockAgreement) -> Void = { _ in }) throws -> Clocks {
        try Clocks(store: store, platform: machine.platform, node: "a", report: report)
    }

    @Test("time that passes changes nothing, and a clock that is set is found, until it is set back")
    func running() throws {
        let clocks = try clocks()
        machine.pass(.seconds(400 * 86_400))
        #expect(try clocks.confirmedNow() == Self.noon + .seconds(400 * 86_400))
        for step in [31, -31, 86_400, -86_400] as [Int64] {
            machine.set(by: .seconds(step))
            #expect(try clocks.confirmedNow() == nil)
            // Time that goes on does not make a wrong clock right.
            machine.pass(.seconds(3600))
            #expect(try clocks.confirmedNow() == nil)
            #expect(clocks.agreement == .differs(by: .seconds(step)))
            machine.set(by: .seconds(-step))
            #expect(try clocks.confirmedNow() != nil)
        }
    }

    @Test("many small steps in one direction are one large one")
    func creeping() throws {
        let clocks = try clocks()
        for _ in 0..<3 {
            machine.set(by: .seconds(10))
            // Long enough for the time to be kept again.
            machine.pass(.seconds(301))
            #expect(try clocks.confirmedNow() != nil)
        }
        machine.set(by: .seconds(10))
        #expect(try clocks.confirmedNow() == nil)
        // Nor does a restart of the process forget the steps before it.
        #expect(try self.clocks().confirmedNow() == nil)
    }

    @Test(
        "after a restart of the process the time that the machine has run counts",
        arguments: [86_400, -86_400] as [Int64])
    func restartedProcess(_ step: Int64) throws {
        _ = try clocks()
        machine.pass(.seconds(40 * 86_400))
        #expect(try clocks().confirmedNow() != nil)
        machine.set(by: .seconds(step))
        #expect(try clocks().confirmedNow() == nil)
    }

    @Test("after a restart of the machine a second clock decides whether it was off for that long")
    func restartedMachine() throws {
        machine.pass(.seconds(1000))
        _ = try clocks()
        machine.restart(after: .seconds(86_400))
        let clocks = try clocks()
        #expect(try clocks.confirmedNow() == nil)
        #expect(clocks.agreement == .unconfirmed(atMost: .seconds(86_400)))
        #expect(clocks.otherTime(at: machine.trueTime) == nil, "the time last known is no second clock")
        machine.pass(.seconds(3600))
        #expect(try clocks.confirmedNow() == nil)
        clocks.note(machine.trueTime, by: "apple")
        #expect(try clocks.confirmedNow() == machine.trueTime)
        // From then on, it is known again.
        #expect(try self.clocks().confirmedNow() != nil)
    }

    @Test("a second clock that says otherwise has the last word, whatever was known before")
    func authority() throws {
        let clocks = try clocks()
        clocks.note(machine.trueTime - .seconds(86_400), by: "apple")
        #expect(try clocks.confirmedNow() == nil)
        #expect(clocks.otherTime(at: machine.trueTime) == machine.trueTime - .seconds(86_400))
        clocks.note(machine.trueTime + .seconds(1), by: "apple")
        #expect(try clocks.confirmedNow() != nil)
        #expect(clocks.otherTime(at: machine.trueTime) == nil)
    }

    @Test("a database without a stored time starts with its newest row, and ignores rows that a wrong clock wrote")
    func olderDatabase() throws {
        store.known.withLock { $0 = KnownTime(moment: Self.noon - .seconds(10), uptime: nil) }
        #expect(try clocks().confirmedNow() != nil)
        // Kept before anything else is: from now on a wrong clock may write newer rows.
        #expect(store.kept.withLock { $0.first?.moment } == Self.noon - .seconds(10))
        store.known.withLock { $0 = KnownTime(moment: Self.noon - .seconds(86_400), uptime: nil) }
        for _ in 0..<2 { #expect(try clocks().confirmedNow() == nil) }
        #expect(store.known.withLock { $0?.moment } == Self.noon - .seconds(86_400))
    }

    @Test("the clock of a database is compared each time, and is trusted no more than this machine's")
    func database() throws {
        store.time.withLock { $0 = Self.noon + .seconds(20) }
        let reports = Mutex<[ClockAgreement]>([])
        let clocks = try clocks { agreement in reports.withLock { $0.append(agreement) } }
        #expect(try clocks.confirmedNow() == Self.noon)
        store.time.withLock { $0 = Self.noon - .seconds(3600) }
        for _ in 0..<3 { #expect(try clocks.confirmedNow() == nil) }
        #expect(clocks.otherTime(at: Self.noon).map { $0 < Self.noon - .seconds(3590) } == true)
        store.time.withLock { $0 = Self.noon }
        #expect(try clocks.confirmedNow() == Self.noon)
        #expect(reports.withLock { $0.count } == 2)
        #expect(store.known.withLock { $0 } == nil)
    }

    @Test("a node that is a day apart is to get no requests once another node agrees with the database")
    func nodes() throws {
        store.time.withLock { $0 = Self.noon - .seconds(86_400) }
        let clocks = try clocks()
        #expect(!clocks.isApart)
        store.others.withLock { $0 = [.seconds(1)] }
        machine.pass(.seconds(10))
        store.time.withLock { $0 = Self.noon - .seconds(86_390) }
        _ = try clocks.confirmedNow()
        #expect(clocks.isApart)
        #expect(store.told.withLock { $0.map(\.wholeSeconds) } == [86_400, 86_400])
    }
}

/// A machine whose clock can be set, and that can be restarted.
private final class Machine: Sendable {
    private struct State {
        var trueTime = Timestamp(seconds: 43_200)
        var uptime = Duration.seconds(100)
        var error = Duration.zero
    }

    private let state = Mutex(State())

    var trueTime: Timestamp { state.withLock { $0.trueTime } }

    var platform: Platform {
        Platform(
            now: { self.state.withLock { $0.trueTime + $0.error } }, uptime: { self.state.withLock { $0.uptime } },
            random: { _ in [] }, equal: { $0 == $1 })
    }

    func pass(_ time: Duration) {
        state.withLock { state in
            state.trueTime = state.trueTime + time
            state.uptime += time
        }
    }

    func set(by step: Duration) { state.withLock { $0.error += step } }

    func restart(after time: Duration) {
        state.withLock { state in
            state.trueTime = state.trueTime + time
            state.uptime = .seconds(20)
        }
    }
}

/// A store with a clock, or one that keeps the time. The test sets both.
private final class ClockStore: PartialStore {
    let time = Mutex<Timestamp?>(nil)
    let known = Mutex<KnownTime?>(nil)
    let kept = Mutex<[KnownTime]>([])
    let others = Mutex<[Duration]>([])
    let told = Mutex<[Duration]>([])

    func readClock() throws(Refusal) -> Timestamp? { time.withLock { $0 } }
    func lastKnownTime() throws(Refusal) -> KnownTime? { known.withLock { $0 } }
    func keep(_ time: KnownTime) throws(Refusal) {
        known.withLock { $0 = time }
        kept.withLock { $0.append(time) }
    }

    func exchangeClockReports(_ lead: Duration, of node: String) throws(Refusal) -> [Duration] {
        told.withLock { $0.append(lead) }
        return others.withLock { $0 }
    }
}
