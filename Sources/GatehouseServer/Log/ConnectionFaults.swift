import FastCGI
import JSON
import POSIX

/// Counts the faults of connections, and logs them.
struct ConnectionFaults: Sendable {
    let metrics: ConnectionMetrics
    let log: Log
    private let occasionally = Occasionally(every: .seconds(60))

    init(metrics: ConnectionMetrics, log: Log) {
        self.metrics = metrics
        self.log = log
    }

    func note(_ fault: Fault, at now: MonotonicTime = .now) {
        metrics.count(fault)
        // A full table has one for each connection that is accepted: its lines would fill the disk.
        if case .tooManyConnections = fault, !occasionally.permits("tooManyConnections", at: now) { return }
        log(fault.level, "connection", [("fault", .string("\(fault)"))])
    }
}
