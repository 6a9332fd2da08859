import FastCGI
import Testing

@testable import GatehouseServer
@testable import POSIX

@Suite("Faults of connections")
struct ConnectionFaultsTests {
    private let lines = Monitor<[String]>([])
    private let metrics = ConnectionMetrics()
    private let faults: ConnectionFaults

    init() {
        faults = ConnectionFaults(
            metrics: metrics, log: Log(level: .debug) { [lines] line in lines.change { $0.append(line) } })
    }

    private func after(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1000) }

    private func count(of kind: String) -> Int? {
        var text = Exposition()
        metrics.write(to: &text)
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.contains("\"\(kind)\"") }?.split(separator: " ").last.flatMap { Int($0) }
    }

    @Test(
        "a limit that is reached is logged once a minute, and counted each time",
        arguments: [(Fault.tooManyConnections, "too_many"), (.tooManyUnfinishedBytes, "unfinished")])
    func limit(fault: Fault, kind: String) {
        for second: Int64 in [0, 0, 1, 59, 60, 61] { faults.report(fault, at: after(second)) }
        #expect(lines.change { $0 }.count { $0.contains("\(fault)") } == 2)
        #expect(count(of: kind) == 6)
    }

    @Test("other faults are logged each time, also while the connection table is full")
    func others() {
        for fault in [Fault.tooManyConnections, .expired, .expired] { faults.report(fault, at: after(0)) }
        #expect(lines.change { $0 }.count { $0.contains("expired") } == 2)
        #expect(count(of: "expired") == 2)
    }
}
