import POSIX

/// How often something had which size. Any number of threads may note at once, without a lock.
final class Histogram: Sendable {
    struct Content {
        let bounds: [Double]
        /// One more than there are bounds: the last is of what is larger than all of them.
        let counts: [Int]
        let sum: Double
    }

    /// Bounds and sum are in these.
    private let unit: Double
    private let bounds: [Int]
    private let numbers: StripedCounters

    /// - Parameters:
    ///   - bounds: the largest that counts in each bucket, in `unit`s.
    ///   - unit: how many of them make one of what is told.
    init(bounds: [Int], unit: Int = 1) {
        self.bounds = bounds
        self.unit = Double(unit)
        numbers = StripedCounters(count: bounds.count + 2)
    }

    func note(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, bounds[bucket] < value { bucket += 1 }
        numbers.add(1, to: bucket)
        numbers.add(value, to: bounds.count + 1)
    }

    var content: Content {
        Content(
            bounds: bounds.map { Double($0) / unit }, counts: (0...bounds.count).map { numbers[$0] },
            sum: Double(numbers[bounds.count + 1]) / unit)
    }
}

extension Histogram {
    /// Of what requests and commits last, in nanoseconds, told in seconds: from a quarter of a millisecond, which no
    /// request without the disk takes, to the ten seconds after which a front has given up.
    static func ofDurations() -> Histogram {
        let milliseconds = [1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10_000, 20_000, 40_000]
        return Histogram(bounds: milliseconds.map { $0 * 250_000 }, unit: 1_000_000_000)
    }
}
