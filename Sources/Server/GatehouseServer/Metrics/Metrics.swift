import POSIX
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

/// Writes Prometheus' text format, version 0.0.4.
struct Exposition {
    typealias Labels = [(name: String, value: String)]

    private(set) var bytes: [UInt8] = []
    private var name = ""

    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// Begins a metric. The samples that follow belong to it.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        put("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// A metric of one sample.
    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        sample(value)
    }

    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        begin(name, kind, help)
        sample(value)
    }

    mutating func sample(_ value: Int, _ labels: Labels = []) {
        line(suffix: "", labels, String(value))
    }

    /// An unknown value is NaN, which dashboards omit and alerts do not match.
    mutating func sample(_ value: Double?, _ labels: Labels = []) {
        line(suffix: "", labels, Self.text(value ?? .nan))
    }

    mutating func histogram(_ content: Histogram.Content, _ labels: Labels = []) {
        var sum = 0
        for (bound, count) in zip(content.bounds + [.infinity], content.counts) {
            sum += count
            line(suffix: "_bucket", labels + [("le", Self.text(bound))], String(sum))
        }
        line(suffix: "_sum", labels, Self.text(content.sum))
        line(suffix: "_count", labels, String(sum))
    }

    private mutating func line(suffix: String, _ labels: Labels, _ value: String) {
        put(name + suffix)
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            put("{" + pairs.joined(separator: ",") + "}")
        }
        put(" " + value + "\n")
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.description
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return text }
        return text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }
}

/// A histogram. Threads may observe values concurrently, without a lock.
final class Histogram: Sendable {
    struct Content {
        let bounds: [Double]
        /// One more than there are bounds: the last one counts larger values.
        let counts: [Int]
        let sum: Double
    }

    /// Observed values are divided by this number for the export.
    private let unit: Double
    private let bounds: [Int]
    private let counters: StripedCounters

    /// - Parameters:
    ///   - bounds: the largest value of each bucket.
    ///   - unit: how many observed units are one exported unit.
    init(bounds: [Int], unit: Int = 1) {
        self.bounds = bounds
        self.unit = Double(unit)
        counters = StripedCounters(count: bounds.count + 2)
    }

    func observe(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, bounds[bucket] < value { bucket += 1 }
        counters.add(1, to: bucket)
        counters.add(value, to: bounds.count + 1)
    }

    var content: Content {
        Content(
            bounds: bounds.map { Double($0) / unit }, counts: (0...bounds.count).map { counters[$0] },
            sum: Double(counters[bounds.count + 1]) / unit)
    }
}

extension Histogram {
    /// For durations of requests and commits, observed in nanoseconds and exported in seconds: from a quarter of a
    /// millisecond, which is enough for requests that need no disk, to ten seconds, after which nginx has given up.
    static func ofDurations() -> Histogram {
        let milliseconds = [1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10_000, 20_000, 40_000]
        return Histogram(bounds: milliseconds.map { $0 * 250_000 }, unit: 1_000_000_000)
    }
}
