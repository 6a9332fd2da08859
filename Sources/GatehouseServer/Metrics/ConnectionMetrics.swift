import FastCGI
import POSIX

/// What goes on at the socket.
final class ConnectionMetrics: MetricSource {
    private enum Kind: Int, CaseIterable {
        case refused
        case expired
        case tooMany
        case acceptFailed

        var label: String {
            switch self {
            case .refused: "refused"
            case .expired: "expired"
            case .tooMany: "too_many"
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
            case .tooManyConnections: .tooMany
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
