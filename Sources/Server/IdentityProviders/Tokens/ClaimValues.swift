import Gatehouse
import JSON

/// Values of claims in the forms in which providers write them.
extension JSONValue {
    /// The identifier of a user or a notification; nil for a text that cannot be one.
    var identifier: String? { shortText(atMost: 256) }

    /// An email address. Nil also for an empty text, which Apple sends for an account without an address.
    var email: String? { shortText(atMost: 254) }

    /// Nil for a text with control characters. PostgreSQL cannot store one of them, NUL.
    private func shortText(atMost limit: Int) -> String? {
        guard let text = string, (1...limit).contains(text.utf8.count), !text.hasControlCharacters else { return nil }
        return text
    }

    /// A text that is safe to store and to show, without control characters of any kind.
    func plainText(atMost limit: Int) -> String? {
        shortText(atMost: limit).flatMap { $0.unicodeScalars.contains(where: \.isControlCharacter) ? nil : $0 }
    }

    /// Apple and other providers send flags as booleans or as strings.
    var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }

    /// A NumericDate (RFC 7519): seconds, which may have a fraction.
    var time: Timestamp? {
        if let seconds = integer { return Timestamp(seconds: seconds) }
        guard let seconds = number, seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }

    /// A time in seconds, as Apple documents it, or in milliseconds, as Apple's servers send it.
    var timeInSecondsOrMilliseconds: Timestamp? {
        guard let number, number >= Self.firstMilliseconds else { return time }
        return integer.map(Timestamp.init(milliseconds:))
    }

    /// Numbers from here on are milliseconds: as seconds this is in the year 5138, as milliseconds in 1973.
    private static let firstMilliseconds = 1e11
}

extension String {
    /// Reads every byte: the compiler vectorises a loop over a span if the loop has no early exit.
    fileprivate var hasControlCharacters: Bool {
        let bytes = utf8.span
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] < 0x20 ? 1 : 0 }
        return found != 0
    }
}

extension Unicode.Scalar {
    /// C0, C1 and DEL, and the line and paragraph separators.
    fileprivate var isControlCharacter: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}
