import JSON

extension Span<UInt8> {
    func starts(with start: Span<UInt8>) -> Bool {
        count >= start.count && extracting(first: start.count).isIdentical(to: start)
    }

    func firstIndex(of byte: UInt8) -> Int? {
        var index = 0
        while index < count, self[index] != byte { index += 1 }
        return index < count ? index : nil
    }

    /// Skips blocks of `stride` bytes from the end, because the last part of a token may be long.
    func lastIndex(of byte: UInt8) -> Int? {
        var end = count
        while end >= Self.stride, !extracting((end - Self.stride)..<end).has(byte) { end -= Self.stride }
        var index = end - 1
        while index >= 0, self[index] != byte { index -= 1 }
        return index >= 0 ? index : nil
    }

    private static var stride: Int { 16 }

    /// A loop of constant length without an early exit, which the compiler vectorises.
    @inline(__always)
    private func has(_ byte: UInt8) -> Bool {
        var found: UInt8 = 0
        for index in 0..<Self.stride { found |= self[index] == byte ? 1 : 0 }
        return found != 0
    }
}
