/// A time in UTC with milliseconds, as the database stores it.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Clamped to the range of milliseconds, because a token may contain any number.
    package init(seconds: Int64) {
        milliseconds = max(-Self.maximumSeconds, min(seconds, Self.maximumSeconds)) * 1000
    }

    private static let maximumSeconds = Int64.max / 2000

    /// Whole seconds since 1970, rounded down: a JWT's NumericDate.
    package var seconds: Int64 { milliseconds.dividedFlooring(by: 1000) }

    package static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

    package static func + (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds.addingClamped(span.milliseconds))
    }

    package static func - (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds.addingClamped(-span.milliseconds))
    }

    package func duration(to other: Self) -> Duration {
        .milliseconds(other.milliseconds.subtractingClamped(milliseconds))
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds: the format of every time in the API and in the log.
    package var description: String { String(decoding: text, as: UTF8.self) }

    /// The same as bytes, for the log, which writes one per line.
    package var text: [UInt8] {
        let days = milliseconds.dividedFlooring(by: 86_400_000)
        let ofDay = Int(milliseconds.remainder(dividingFlooringBy: 86_400_000))
        let (year, month, day) = Self.civil(daysSince1970: Int(days))
        var text: [UInt8] = []
        text.append(addingCapacity: 32) { text in
            Self.put(year: year, in: &text)
            Self.put(month, after: "-", in: &text)
            Self.put(day, after: "-", in: &text)
            Self.put(ofDay / 3_600_000, after: "T", in: &text)
            Self.put(ofDay / 60_000 % 60, after: ":", in: &text)
            Self.put(ofDay / 1000 % 60, after: ":", in: &text)
            Self.put(ofDay % 1000 / 10, after: ".", in: &text)
            Self.put(digit: ofDay % 10, in: &text)
            text.append(UInt8(ascii: "Z"))
        }
        return text
    }

    /// The Gregorian date of a day number. Years are counted in eras of 400 that begin on 1 March, so that the leap day
    /// is the last day of its year and needs no special case.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted.dividedFlooring(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Four digits, or as many as the year has.
    private static func put(year: Int, in text: inout OutputSpan<UInt8>) {
        guard (0...9999).contains(year) else {
            for digit in String(year).utf8 { text.append(digit) }
            return
        }
        put(digit: year / 1000, in: &text)
        put(digit: year / 100 % 10, in: &text)
        put(digit: year / 10 % 10, in: &text)
        put(digit: year % 10, in: &text)
    }

    /// A separator and two digits.
    private static func put(_ number: Int, after separator: Unicode.Scalar, in text: inout OutputSpan<UInt8>) {
        text.append(UInt8(ascii: separator))
        put(digit: number / 10, in: &text)
        put(digit: number % 10, in: &text)
    }

    private static func put(digit: Int, in text: inout OutputSpan<UInt8>) {
        text.append(UInt8(ascii: "0") + UInt8(digit))
    }
}

extension Duration {
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, as in `expiresIn` and `Retry-After`.
    package var wholeSeconds: Int64 { components.seconds }

    package var magnitude: Duration { max(self, .zero - self) }
}

extension Int64 {
    /// The sum, clamped to the range: a damaged row must not crash the process.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}

extension Int64 {
    /// The difference, clamped to the range.
    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

extension BinaryInteger {
    func dividedFlooring(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    func remainder(dividingFlooringBy divisor: Self) -> Self {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

extension Timestamp {
    /// Reads a date or a time in UTC as RFC 3339 writes them: `2026-11-21`, `2026-11-21T10:00:00Z` or
    /// `2026-11-21T10:00:00.512Z`. Nil for anything else, the 30th of February included.
    package init?(written text: String) {
        let form = /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?[Zz])?/
        guard let match = text.wholeMatch(of: form)?.output else { return nil }
        let (year, month, day) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
        let time = [match.4, match.5, match.6].map { $0.flatMap { Int($0) } ?? 0 }
        guard let days = Self.daysSince1970(year, month, day), time[0] < 24, time[1] < 60, time[2] < 60 else {
            return nil
        }
        let fraction = (match.7 ?? "").prefix(3)
        let milliseconds = Int64(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
        let seconds = ((Int64(days) * 24 + Int64(time[0])) * 60 + Int64(time[1])) * 60 + Int64(time[2])
        self.init(milliseconds: seconds * 1000 + milliseconds)
    }

    /// In the Gregorian calendar; nil where there is no such date.
    package static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        return before * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
    }
}

extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads the form of RFC 9110, section 5.6.7, that servers send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: String) {
        guard let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/),
            let month = Self.months.firstIndex(of: String(match.2)), let day = Int(match.1),
            let year = Int(match.3), let days = Self.daysSince1970(year, month + 1, day),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
        else { return nil }
        self.init(seconds: Int64(days) * 86_400 + hour * 3600 + minute * 60 + second)
    }
}
