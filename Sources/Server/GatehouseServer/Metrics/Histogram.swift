import POSIX

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
