/// Reads the members of an object that ``JSONObjectWriter`` has written, in the order in which they were
/// written, without searching.
///
/// ``JSONObjectReader`` would return the same values. This reader finds fewer: no member after one that is missing or
/// unexpected, and no text with escapes or non-ASCII characters. Use ``JSONObjectReader`` for those.
public struct JSONSequence: JSONClaims {
    private let bytes: [UInt8]
    private var position = 0

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether every member has been read.
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
        // Up to 18 digits cannot overflow.
        guard (1...18).contains(end - start), end - start == 1 || bytes[start] != .zero else { return nil }
        position = end
        return number
    }

    public mutating func isTrue(_ name: String) -> Bool {
        guard let start = value(of: name), start + Self.true.count < bytes.count else { return false }
        let range = start..<start + Self.true.count
        guard bytes.span.extracting(range).isIdentical(to: Self.true.span) else { return false }
        position = range.upperBound
        return true
    }

    private static let `true` = Array("true".utf8)

    /// The object must have no other member.
    public mutating func string(_ name: String, in object: String) -> String? {
        let start = position
        if let brace = value(of: object), brace < bytes.count, bytes[brace] == .leftBrace {
            position = brace
            if let text = takeText(of: name, isFirst: true), position < bytes.count, bytes[position] == .rightBrace {
                position += 1
                return String(decoding: bytes[text], as: UTF8.self)
            }
        }
        position = start
        return nil
    }

    /// The text of an object, without parsing it: the writer of the token has sorted its members.
    public mutating func sortedObject(_ name: String) -> String? {
        guard let start = value(of: name), start < bytes.count, bytes[start] == .leftBrace else { return nil }
        var (end, depth, isInText) = (start, 0, false)
        while end < bytes.count {
            switch bytes[end] {
            case .backslash where isInText: end += 1
            case .quote: isInText.toggle()
            case .leftBrace where !isInText: depth += 1
            case .rightBrace where !isInText: depth -= 1
            default: break
            }
            end += 1
            guard depth == 0 else { continue }
            position = end
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        return nil
    }

    public mutating func skipTexts(_ name: String) {
        guard var end = value(of: name), end < bytes.count, bytes[end] == .leftBracket else { return }
        repeat {
            guard end + 1 < bytes.count, bytes[end + 1] == .quote,
                let length = Self.lengthOfText(bytes.span.extracting((end + 2)...))
            else { return }
            end += length + 3
        } while end < bytes.count && bytes[end] == .comma
        if end < bytes.count, bytes[end] == .rightBracket { position = end + 1 }
    }

    /// - Parameter isFirst: whether it is the first member of an object in the object.
    private mutating func takeText(of name: String, isFirst: Bool = false) -> Range<Int>? {
        guard let text = range(ofText: name, isFirst) else { return nil }
        position = text.upperBound + 1
        return text
    }

    /// The range of a text, without its quotes.
    private func range(ofText name: String, _ isFirst: Bool) -> Range<Int>? {
        let bytes = bytes.span
        guard let quote = value(of: name, isFirst), quote < bytes.count, bytes[quote] == .quote,
            let length = Self.lengthOfText(bytes.extracting((quote + 1)...))
        else { return nil }
        return quote + 1..<quote + 1 + length
    }

    /// The length up to the closing quote; nil if there is none, or if the text has escapes or non-ASCII characters.
    private static func lengthOfText(_ bytes: Span<UInt8>) -> Int? {
        var length = 0
        while length < bytes.count, TextByte.classes[Int(bytes[length])] == 0 { length &+= 1 }
        return length < bytes.count && bytes[length] == .quote ? length : nil
    }

    /// The position of the next member's value; nil if the member has another name.
    private func value(of name: String, _ isFirst: Bool = false) -> Int? {
        let (bytes, name) = (bytes.span, name.utf8.span)
        let colon = position + name.count + 3
        guard colon < bytes.count, bytes[position] == (position == 0 || isFirst ? .leftBrace : .comma),
            bytes[position + 1] == .quote, bytes[colon - 1] == .quote, bytes[colon] == .colon
        else { return nil }
        for index in name.indices where bytes[position + 2 + index] != name[index] { return nil }
        return colon + 1
    }
}
