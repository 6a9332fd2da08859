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
