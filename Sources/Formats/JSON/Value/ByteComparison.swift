extension String {
    /// Whether both have the same bytes. `==` compares by canonical equivalence, by which U+212A equals K.
    ///
    /// The lengths and `==` are compared first: both reject most other texts quickly.
    package func isIdentical(to other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        return utf8.span.isIdentical(to: other.utf8.span)
    }
}

extension Span<UInt8> {
    /// Whether both have the same bytes. The loop has no early exit, so that the compiler can vectorise it.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
