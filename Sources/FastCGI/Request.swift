/// One request, as long as its handler runs: it cannot be kept, because its memory is for the next one.
package struct Request: ~Copyable {
    package let parameters: Parameters

    package let body: [UInt8]
    /// The peer sent, or announced, more than `Limits.body`. `body` is empty then, and the connection ends after the answer.
    package let bodyIsTooLarge: Bool

    /// The parameter of that name.
    package func parameter(_ name: String) -> String? {
        parameters[name].map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The parameters of one request: what libfcgi read, one after the other as "NAME=value".
package struct Parameters: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// Takes over the parameters of a request, and keeps the memory of those before.
    mutating func read(from request: FCGXRequest) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        request.copyParameters(to: &bytes, ends: &ends)
    }

    /// The value of a name; of several, the first, which is the one that the front's configuration set.
    package subscript(name: String) -> ArraySlice<UInt8>? {
        let name = name.utf8.span
        var start = 0
        for end in ends {
            if let value = value(of: name, in: start..<end) { return bytes[value] }
            start = end
        }
        return nil
    }

    private func value(of name: Span<UInt8>, in pair: Range<Int>) -> Range<Int>? {
        let equals = pair.lowerBound + name.count
        guard equals < pair.upperBound, bytes[equals] == UInt8(ascii: "=") else { return nil }
        // Names of a kind begin alike, so the end is looked at first.
        for index in name.indices.reversed() where bytes[pair.lowerBound + index] != name[index] { return nil }
        return equals + 1..<pair.upperBound
    }
}
