import FastCGI
import FileSystem
import JSON
import POSIX

/// Counts and logs the faults of connections.
struct ConnectionFaults: Sendable {
    let metrics: ConnectionMetrics
    let log: Log
    private let throttle = LogThrottle(every: .seconds(60))

    init(metrics: ConnectionMetrics, log: Log) {
        self.metrics = metrics
        self.log = log
    }

    func report(_ fault: Fault, at now: MonotonicTime = .now) {
        metrics.count(fault)
        // While a limit is reached, every new connection or request has this fault: its lines would fill the disk.
        if fault.isOfLimit, !throttle.permits("\(fault)", at: now) { return }
        log(fault.level, "connection", [("fault", .string("\(fault)"))])
    }
}

extension Fault {
    fileprivate var isOfLimit: Bool {
        switch self {
        case .tooManyConnections, .tooManyUnfinishedBytes: true
        case .refused, .expired, .abandoned, .acceptFailed: false
        }
    }

    /// A peer's fault does not concern the operator. A failure of this process does.
    fileprivate var level: LogLevel {
        switch self {
        case .refused, .expired: .debug
        case .abandoned: .info
        case .tooManyConnections, .tooManyUnfinishedBytes, .acceptFailed: .warning
        }
    }
}
