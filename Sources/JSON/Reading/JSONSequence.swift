/// The members of an object that ``JSONObjectWriter`` has written, in that order: whoever knows what comes next searches
/// for nothing, and nothing is looked at twice.
///
/// What it finds, ``JSONMembers`` would find as well. It finds less: nothing once a member is missing or another one comes
/// in between, and no text that is not plain ASCII. Whoever needs to know about those asks there.
public struct JSONSequence: JSONClaims {
    private let bytes: [UInt8]
    private var position = 0

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all has been asked for.
    public var isAtEnd: Bool { position == bytes.count - 1 && bytes[position] == .rightBrace }

    public mutating func has(_ name: String, _ text: String) -> Bool {
        guard let range = takeText(of: name) else { return false }
        return bytes.span.extracting(range).isIdentical(to: text.utf8.span)
    }

    public mutating func hasText(_ name: String) -> Bool { takeText(of: name) != nil }

    public mutating func string(_ name: String) -> String? {
        takeText(of: name).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    public mutating func integer(_ name: String) -> Int64? {
        guard let start = value(of: name) else { return nil }
        var (end, number) = (start, Int64(0))
        while end < bytes.count, let digit = bytes[end].decimalDigit {
            number = number &* 10 &+ Int64(digit)
            end += 1
        }
        // So many digits never overflow.
        guard (1...18).contains(end - start), end - start == 1 || bytes[start] != .zero else { return nil }
        position = end
        return number
    }

    private mutating func takeText(of name: String) -> Range<Int>? {
        guard let text = place(ofText: name) else { return nil }
        position = text.upperBound + 1
        return text
    }

    /// Where a text stands, without its quotes.
    private func place(ofText name: String) -> Range<Int>? {
        let bytes = bytes.span
        guard let quote = value(of: name), quote < bytes.count, bytes[quote] == .quote,
            let length = Self.lengthOfText(bytes.extracting((quote + 1)...))
        else { return nil }
        return quote + 1..<quote + 1 + length
    }

    /// Up to the next quote; nil where there is none, or something that may not stand for itself.
    private static func lengthOfText(_ bytes: Span<UInt8>) -> Int? {
        var length = 0
        while length < bytes.count, TextByte.marks[Int(bytes[length])] == 0 { length &+= 1 }
        return length < bytes.count && bytes[length] == .quote ? length : nil
    }

    /// Where the value of the next member begins, if that is its name.
    private func value(of name: String) -> Int? {
        let (bytes, name) = (bytes.span, name.utf8.span)
        let colon = position + name.count + 3
        guard colon < bytes.count, bytes[position] == (position == 0 ? .leftBrace : .comma),
            bytes[position + 1] == .quote, bytes[colon - 1] == .quote, bytes[colon] == .colon
        else { return nil }
        for index in name.indices where bytes[position + 2 + index] != name[index] { return nil }
        return colon + 1
    }
}
