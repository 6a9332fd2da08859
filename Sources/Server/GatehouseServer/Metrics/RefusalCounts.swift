import Synchronization

/// Counts refused requests by the code of their problem. The codes are the server's own: their number is bounded.
final class RefusalCounts: MetricSource {
    /// Those of alerts are written from the start: Prometheus does not see an increase when a line first appears.
    private let counts = Mutex<[String: Int]>(["invalid_redirect_uri": 0, "phone_required": 0])

    func count(_ code: String) { counts.withLock { $0[code, default: 0] += 1 } }

    func write(to text: inout Exposition) {
        text.begin(Family("gatehouse_refusals_total", .counter, "Requests answered with a problem, by its code."))
        for (code, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(count, [("code", code)])
        }
    }
}
