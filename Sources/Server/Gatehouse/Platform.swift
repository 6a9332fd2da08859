/// The clock, random bytes and the comparison of secrets: passed in, so that tests control them.
package struct Platform: Sendable {
    package let now: @Sendable () -> Timestamp
    /// How long the machine has run. Setting its clock does not change that.
    package let uptime: @Sendable () -> Duration
    package let random: @Sendable (_ count: Int) -> [UInt8]
    /// Compares in constant time.
    package let equal: @Sendable ([UInt8], [UInt8]) -> Bool

    /// - Parameter uptime: nil for a clock that is never wrong.
    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: (@Sendable () -> Duration)? = nil,
        random: @escaping @Sendable (_ count: Int) -> [UInt8],
        equal: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) {
        self.now = now
        self.uptime = uptime ?? { .milliseconds(now().milliseconds) }
        (self.random, self.equal) = (random, equal)
    }
}
