import Gatehouse
import Synchronization

/// What has been counted since the start.
final class Metrics: Sendable {
    private let counts = Mutex<[Series: Int]>([:])

    func count(_ occurrence: Occurrence) {
        let (series, amount) = Series.counting(occurrence)
        counts.withLock { $0[series, default: 0] += amount }
    }

    /// The form that Prometheus reads. A family without a count stands there with none, so that a dashboard and an alert
    /// can tell "never" from "unknown".
    func text() -> String {
        let counts = counts.withLock { $0 }
        return Family.allCases.map { family in
            let lines = counts.filter { $0.key.family == family }
                .map { "\(family.rawValue)\($0.key.labels) \($0.value)\n" }.sorted()
            let zero = family.isWithoutLabels && lines.isEmpty ? ["\(family.rawValue) 0\n"] : []
            return "# HELP \(family.rawValue) \(family.help)\n# TYPE \(family.rawValue) counter\n"
                + (lines + zero).joined()
        }.joined()
    }
}
