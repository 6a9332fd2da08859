import FastCGI
import POSIX

/// Counts the faults of FastCGI connections.
final class ConnectionMetrics: MetricSource {
    private enum Kind: Int, CaseIterable {
        case refused
        case expired
        case abandoned
        case tooMany
        case unfinished
        case acceptFailed

        var label: String {
            switch self {
            case .refused: "refused"
            case .expired: "expired"
            case .abandoned: "abandoned"
            case .tooMany: "too_many"
            case .unfinished: "unfinished"
            case .acceptFailed: "accept_failed"
            }
        }
    }

    private let faults = StripedCounters(count: Kind.allCases.count)

    func count(_ fault: Fault) {
        let kind: Kind =
            switch fault {
            case .refused: .refused
            case .expired: .expired
            case .abandoned: .abandoned
            case .tooManyConnections: .tooMany
            case .tooManyUnfinishedBytes: .unfinished
            case .acceptFailed: .acceptFailed
            }
        faults.add(1, to: kind.rawValue)
    }

    func write(to text: inout Exposition) {
        text.begin(
            Family(
                "gatehouse_connection_faults_total", .counter, "Connections that ended without an answer, by reason."))
        for kind in Kind.allCases { text.sample(faults[kind.rawValue], [("kind", kind.label)]) }
    }
}

/// Measures the load at each scrape. The scrape itself occupies one worker and one connection.
struct LoadGauges: MetricSource {
    unowned let responder: Responder

    func write(to text: inout Exposition) {
        text.begin(Family("gatehouse_connections_open", .gauge, "Open FastCGI connections."))
        text.sample(responder.openConnections)
        text.begin(Family("gatehouse_connections_limit", .gauge, "The most FastCGI connections that may be open."))
        text.sample(responder.limits.connections)
        text.begin(Family("gatehouse_workers_busy", .gauge, "Worker threads that are answering."))
        text.sample(responder.busyWorkers)
        text.begin(Family("gatehouse_workers", .gauge, "Worker threads (WORKERS)."))
        text.sample(responder.workers)
    }
}
