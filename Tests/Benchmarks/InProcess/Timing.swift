import POSIX

/// Measures work in batches, because one repetition is too short for the clock.
enum Timing {
    private static let batchNanoseconds = 2_000_000

    /// The number of repetitions that take about two milliseconds.
    static func batch(of work: Catalog.Work) throws -> Int {
        var count = 1
        while true {
            let watch = Stopwatch()
            try work(count)
            let spent = max(1, watch.nanoseconds)
            if spent >= batchNanoseconds || count >= 1 << 20 { return count }
            count = max(count + 1, min(count * 10, count * batchNanoseconds / spent + 1))
        }
    }

    /// The nanoseconds of each batch.
    static func batches(of work: Catalog.Work, count: Int, for milliseconds: Int) throws -> [Int] {
        let whole = Stopwatch()
        var batches: [Int] = []
        while batches.count < 5 || whole.nanoseconds < milliseconds * 1_000_000 {
            let watch = Stopwatch()
            try work(count)
            batches.append(watch.nanoseconds)
        }
        return batches
    }
}
