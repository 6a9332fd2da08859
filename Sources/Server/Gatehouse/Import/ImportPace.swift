/// How many users a transaction of an import has, and how long the import pauses after it.
///
/// Long transactions write each page of a file once for many users. While one runs, other processes wait for the file. So
/// they are long while no other process writes, and short for a while after one did.
package struct ImportPace: Sendable {
    /// A process that waits for the file asks again at least every 100 ms (SQLite's busy handler), in the first 50 ms more
    /// often.
    private static let alone = (time: Duration.milliseconds(1000), pause: Duration.milliseconds(110))
    private static let besideOthers = (time: Duration.milliseconds(40), pause: Duration.milliseconds(25))
    private static let memory = Duration.seconds(10)

    /// In a database whose writers do not wait for each other.
    private static let sharedSize = 256
    private static let sizes = 64...16_384

    package private(set) var size = 256
    private var known: Int64?
    private var politeUntil = Duration.zero

    package init() {}

    /// Notes a transaction, and returns how long to pause.
    ///
    /// - Parameters:
    ///   - writes: as `OperatorStore.writesOfOthers`.
    ///   - now: on a clock that does not jump.
    package mutating func record(
        _ count: Int, taking time: Duration, writes: Int64?, now: Duration
    ) -> Duration {
        guard let writes else {
            size = Self.sharedSize
            return .zero
        }
        if let known, known != writes { politeUntil = now + Self.memory }
        known = writes
        let goal = now < politeUntil ? Self.besideOthers : Self.alone
        let perUser = max(time.milliseconds, 1) * 1000 / Int64(max(count, 1))
        let fitting = Int(goal.time.milliseconds * 1000 / max(perUser, 1))
        size = min(max(Self.sizes.lowerBound, min(fitting, size * 4)), Self.sizes.upperBound)
        return min(goal.pause, time)
    }
}
