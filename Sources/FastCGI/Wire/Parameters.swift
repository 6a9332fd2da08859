/// The parameters of one request: the bytes that came, and where in them each pair lies.
package struct Parameters: Sendable {
    /// A pair lies in one piece: the name, then the value.
    private struct Pair: Sendable {
        let start: UInt32
        let middle: UInt32
        let end: UInt32
    }

    private(set) var bytes: [UInt8] = []
    private var pairs: [Pair] = []

    mutating func append(_ content: ArraySlice<UInt8>) {
        bytes.append(contentsOf: content)
    }

    /// Looks for the pairs, once all bytes are here; false if one leads out of them.
    mutating func findPairs() -> Bool {
        NameValues.forEach(in: bytes) { name, value in
            pairs.append(
                Pair(
                    start: UInt32(name.lowerBound), middle: UInt32(name.upperBound), end: UInt32(value.upperBound)))
        }
    }

    /// The value of a name, where it lies; of several, the first, which is the one that the front's configuration set.
    package subscript(name: String) -> ArraySlice<UInt8>? {
        range(of: name.utf8.span).map { bytes[$0] }
    }

    /// The same as a place in `bytes`.
    func range(of name: Span<UInt8>) -> Range<Int>? {
        let bytes = bytes.span
        for pair in pairs where Int(pair.middle - pair.start) == name.count {
            if Self.isEqual(bytes, from: Int(pair.start), name) { return Int(pair.middle)..<Int(pair.end) }
        }
        return nil
    }

    /// Names of a kind begin alike, so the end is looked at first.
    private static func isEqual(_ bytes: Span<UInt8>, from start: Int, _ name: Span<UInt8>) -> Bool {
        var index = name.count
        while index > 0 {
            index -= 1
            if bytes[start + index] != name[index] { return false }
        }
        return true
    }

    /// Makes room for the next request's, and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        pairs.removeAll(keepingCapacity: true)
    }
}

extension Parameters {
    /// What the front says is coming as a body, if it says a number.
    var contentLength: Int? { self["CONTENT_LENGTH"].flatMap(NameValues.decimal) }
}
