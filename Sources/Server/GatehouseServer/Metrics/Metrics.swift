import Synchronization

/// The metrics of this process, collected from their sources. Each source has the names of its own metrics.
package final class Metrics: Sendable {
    private let sources = Mutex<[any MetricSource]>([])

    func add(_ source: any MetricSource) {
        sources.withLock { $0.append(source) }
    }

    /// All metrics in Prometheus' text format.
    func text() -> [UInt8] {
        var text = Exposition()
        for source in sources.withLock({ $0 }) { source.write(to: &text) }
        return text.bytes
    }
}

/// A part of the server that has metrics.
protocol MetricSource: Sendable {
    /// Writes all of its metrics, also those that are still zero, so that dashboards and alerts can tell "never" from
    /// "unknown". Called by the thread that answers `/metrics`.
    func write(to text: inout Exposition)
}
