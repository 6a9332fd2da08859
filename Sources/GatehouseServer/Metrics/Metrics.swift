import Synchronization

/// All that can be known of this process from outside, by whoever knows it.
package final class Metrics: Sendable {
    private let sources = Mutex<[any MetricSource]>([])

    func add(_ source: any MetricSource) {
        sources.withLock { $0.append(source) }
    }

    /// The form that Prometheus reads.
    func text() -> [UInt8] {
        var text = Exposition()
        for source in sources.withLock({ $0 }) { source.write(to: &text) }
        return text.bytes
    }
}
