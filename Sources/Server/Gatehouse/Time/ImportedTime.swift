extension Timestamp {
    /// Reads a time as RFC 3339 and PostgreSQL write it: `2026-11-21T10:00:00.512Z`, `2026-11-21 10:00:00.512+00` or
    /// `2026-11-21T12:00:00+02:00`. Nil for anything else. A file may have millions, so it is read byte by byte.
    package init?(imported text: String) {
        var reader = TimeReader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2), reader.skip(":"), let minute = reader.number(digits: 2),
            reader.skip(":"),
            let second = reader.number(digits: 2), let milliseconds = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd, hour < 24, minute < 60, second < 60,
            let days = Self.daysSince1970(year, month, day)
        else { return nil }
        let seconds = ((Int64(days) * 24 + Int64(hour)) * 60 + Int64(minute - offset)) * 60 + Int64(second)
        self.init(milliseconds: seconds * 1000 + milliseconds)
    }
}

private struct TimeReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return Int(bytes[position]) - 0x30
    }

    mutating func number(digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// The milliseconds; 0 without a fraction, and nil for a point without digits.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var (milliseconds, count) = (Int64(0), 0)
        while let digit = digit() {
            if count < 3 { milliseconds = milliseconds * 10 + Int64(digit) }
            count += 1
        }
        guard (1...9).contains(count) else { return nil }
        for _ in min(count, 3)..<3 { milliseconds *= 10 }
        return milliseconds
    }

    /// In minutes. Nil where none is written.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hours = number(digits: 2), hours < 24 else { return nil }
        var minutes = 0
        if !isAtEnd {
            guard skip(":"), let number = number(digits: 2), number < 60 else { return nil }
            minutes = number
        }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
}
