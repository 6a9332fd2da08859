/// What differs between two runs of the same requests: the time and the dice. Passed in, so that a test decides both.
package struct World: Sendable {
    package let now: @Sendable () -> Timestamp
    package let random: @Sendable (_ count: Int) -> [UInt8]
    /// Comparison that takes the same time wherever two secrets differ.
    package let equal: @Sendable ([UInt8], [UInt8]) -> Bool

    package init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (_ count: Int) -> [UInt8],
        equal: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) {
        self.now = now
        self.random = random
        self.equal = equal
    }
}
