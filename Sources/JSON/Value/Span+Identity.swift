extension Span<UInt8> {
    /// Whether two texts are the same byte by byte. Looks at every byte without stopping early: a loop without a way out is
    /// done in strides.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
