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

    func lastIndex(of byte: UInt8) -> Int? {
        var index = count - 1
        while index >= 0, self[index] != byte { index -= 1 }
        return index >= 0 ? index : nil
    }
}
