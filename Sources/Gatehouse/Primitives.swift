/// The clock, random bytes and the comparison of secrets: passed in, so that tests control them.
package struct Primitives: Sendable {
    package let now: @Sendable () -> Timestamp
    package let random: @Sendable (_ count: Int) -> [UInt8]
    /// Compares in constant time.
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
