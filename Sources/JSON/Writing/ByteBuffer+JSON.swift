// How each kind of value looks as text.

extension [UInt8] {
    mutating func appendJSON(_ value: JSONValue) {
        switch value {
        case .null: appendJSONNull()
        case .bool(let value): appendJSON(value)
        case .integer(let value): appendJSON(value)
        case .number(let value): appendJSON(value)
        case .string(let value): appendJSON(value)
        case .array(let elements): appendJSON(elements)
        case .object(let object): appendJSON(object)
        }
    }

    mutating func appendJSONNull() { append(contentsOf: "null".utf8) }

    mutating func appendJSON(_ value: Bool) { append(contentsOf: (value ? "true" : "false").utf8) }

    mutating func appendJSON(_ value: Int64) { append(contentsOf: String(value).utf8) }

    /// Swift's shortest form that reads back as the same number; JSON has no infinities, so they become `null`.
    mutating func appendJSON(_ value: Double) {
        if value.isFinite { append(contentsOf: value.description.utf8) } else { appendJSONNull() }
    }

    /// Text without anything to escape, which is nearly all of it, is copied in one piece.
    mutating func appendJSON(_ text: String) {
        append(.quote)
        let start = count
        append(contentsOf: text.utf8)
        if self[start...].needJSONEscapes {
            removeSubrange(start...)
            appendEscaped(text)
        }
        append(.quote)
    }

    private mutating func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case .quote, .backslash: append(contentsOf: [.backslash, byte])
            case 0x08: append(contentsOf: "\\b".utf8)
            case 0x09: append(contentsOf: "\\t".utf8)
            case 0x0A: append(contentsOf: "\\n".utf8)
            case 0x0C: append(contentsOf: "\\f".utf8)
            case 0x0D: append(contentsOf: "\\r".utf8)
            case 0..<0x20: append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0xF, radix: 16))".utf8)
            default: append(byte)
            }
        }
    }

    private mutating func appendJSON(_ elements: [JSONValue]) {
        append(.leftBracket)
        for (index, element) in elements.enumerated() {
            if index > 0 { append(.comma) }
            appendJSON(element)
        }
        append(.rightBracket)
    }

    private mutating func appendJSON(_ object: JSONObject) {
        append(.leftBrace)
        for (index, member) in object.members.enumerated() {
            if index > 0 { append(.comma) }
            appendJSON(member.name)
            append(.colon)
            appendJSON(member.value)
        }
        append(.rightBrace)
    }
}

extension ArraySlice<UInt8> {
    /// Looks at every byte without stopping early: a loop over an array without a way out is done in strides.
    fileprivate var needJSONEscapes: Bool {
        var found: UInt8 = 0
        for byte in self {
            found |= (byte < 0x20 ? 1 : 0) | (byte == .quote ? 1 : 0) | (byte == .backslash ? 1 : 0)
        }
        return found != 0
    }
}
