import Gatehouse
import JSON

/// Values of claims in the forms in which Apple writes them.
extension JSONValue {
    /// A user's identifier; nil for a text that cannot be one.
    var subject: String? {
        guard let subject = string, (1...256).contains(subject.utf8.count), !subject.hasControlCharacters else {
            return nil
        }
        return subject
    }

    /// An email address. Nil also for an empty text, which Apple sends for an account without an address.
    var email: String? {
        guard let email = string, !email.isEmpty, email.utf8.count <= 254 else { return nil }
        return email
    }

    /// Apple sends flags as booleans or as strings.
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
