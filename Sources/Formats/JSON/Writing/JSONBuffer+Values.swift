// The text of each type of value.
extension JSONBuffer {
    mutating func put(_ value: JSONValue) {
        switch value {
        case .null: putNull()
        case .bool(let value): put(value)
        case .integer(let value): put(value)
        case .number(let value): put(value)
        case .string(let value): put(value)
        case .array(let elements): put(elements)
        case .object(let object): put(object)
        }
    }

    mutating func putNull() { putWord("null") }

    mutating func put(_ value: Bool) { putWord(value ? "true" : "false") }

    mutating func put(_ value: Int64) {
        if value < 0 { put(.minus) }
        putDigits(value.magnitude)
    }

    /// The shortest text that parses to the same number. JSON has no infinities, so they become `null`.
    mutating func put(_ value: Double) {
        if value.isFinite { putWord(value.description) } else { putNull() }
    }

    /// Thousandths, with exactly three decimal places.
    mutating func put(thousandths: Int64) {
        if thousandths < 0 { put(.minus) }
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        putDigits(whole)
        put(UInt8(ascii: "."))
        putDigits(rest, atLeast: 3)
    }

    /// Most texts need no escapes and are copied as a whole.
    mutating func put(_ text: String) { put(utf8: text.utf8.span) }

    mutating func put(utf8 text: Span<UInt8>) {
        if !putQuoted(text) { putEscaped(text) }
    }

    /// A member's name, with the comma before it and the colon after it.
    mutating func put(name: String, isFirst: Bool) {
        if putName(name.utf8.span, isFirst: isFirst) { return }
        if !isFirst { put(.comma) }
        putEscaped(name.utf8.span)
        put(.colon)
    }

    private mutating func putWord(_ word: String) { put(word.utf8.span) }

    private mutating func putDigits(_ number: UInt64, atLeast width: Int = 1) {
        var places = 1
        var rest = number / 10
        while rest > 0 {
            rest /= 10
            places += 1
        }
        put(number, places: max(places, width))
    }

    private mutating func putEscaped(_ text: Span<UInt8>) {
        put(.quote)
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case .quote, .backslash:
                put(.backslash)
                put(byte)
            case 0x08: putWord("\\b")
            case 0x09: putWord("\\t")
            case 0x0A: putWord("\\n")
            case 0x0C: putWord("\\f")
            case 0x0D: putWord("\\r")
            case 0..<0x20: putWord("\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0xF, radix: 16))")
            default: put(byte)
            }
        }
        put(.quote)
    }

    private mutating func put(_ elements: [JSONValue]) {
        put(.leftBracket)
        for (index, element) in elements.enumerated() {
            if index > 0 { put(.comma) }
            put(element)
        }
        put(.rightBracket)
    }

    private mutating func put(_ object: JSONObject) {
        put(.leftBrace)
        for (index, member) in object.members.enumerated() {
            if index > 0 { put(.comma) }
            put(member.name)
            put(.colon)
            put(member.value)
        }
        put(.rightBrace)
    }
}
