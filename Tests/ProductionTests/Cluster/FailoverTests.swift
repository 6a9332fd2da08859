import Foundation
import TestSupport
import Testing

@Suite(
    "A cluster", .serialized, .needs(.cluster), .needs(.time),
    .enabled(if: RunningCluster.obstacle == nil, RunningCluster.reason))
struct FailoverTests {
    /// The clients use the newest answered tokens, and repeat requests without an answer.
    @Test(
        "Whatever part fails, no answered token is refused, no session forks, and the nodes serve again within two seconds"
    )
    func failures() throws {
        let cluster = try RunningCluster()
        let load = try ClusterLoad(on: cluster)
        sleep(5)
        var last = "start"
        for (number, fault) in Fault.all.enumerated() {
            #expect(cluster.isWhole(), "before \(fault.name): \(cluster.parts)")
            let phase = "\(number)"
            expectGood(try load.begin(phase, ending: last), before: fault.name)
            try fault.strike(cluster)
            #expect(Eventually.holds(within: 60) { cluster.hasPrimary() }, "after \(fault.name)")
            sleep(3)
            #expect(cluster.isWhole(), "after \(fault.name): \(cluster.parts)")
            last = "after \(phase)"
            expectGood(try load.begin(last, ending: phase), of: fault)
        }
        let (rest, end) = try load.end(ending: last)
        expectGood(rest, before: "the end")
        print("every session used once more: \(end)")
        #expect(end.violations == [])
        #expect(cluster.stop() == 0)
    }

    private func expectGood(_ report: LoadReport, of fault: Fault) {
        print("\(fault.name): \(report)")
        #expect(report.violations == [], "\(fault.name)")
        #expect(report.withoutRetryAfter == 0, "\(fault.name)")
        #expect(report.longest(503) < 6, "\(fault.name): the nodes' own time-out is 5 s")
        // The guard reads no database.
        #expect(report.count("guard", 503) == 0, "\(fault.name)")
        #expect(fault.isNoticed || !report.hasFailures, "\(fault.name): \(report.answers) \(report.lost)")
        #expect(report.count("refresh", 200) > 0 && report.count("guard", 200) > 0, "\(fault.name)")
        guard fault.losesPrimary else { return }
        #expect(report.withoutPrimary > 1, "\(fault.name)")
        for (kind, seconds) in report.servedAfter {
            #expect((seconds ?? .infinity) <= 2, "\(fault.name): \(kind)")
        }
    }

    /// Between two faults.
    private func expectGood(_ report: LoadReport, before name: String) {
        #expect(report.violations == [], "before \(name)")
        #expect(!report.hasFailures, "before \(name): \(report.answers) \(report.lost)")
    }
}
