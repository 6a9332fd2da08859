package import Gatehouse

extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads the one form that servers write (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: String) {
        guard let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/),
            let month = Self.months.firstIndex(of: String(match.2)), let day = Int64(match.1),
            let year = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
        else { return nil }
        let days = Self.daysSince1970(year, Int64(month) + 1, day)
        self.init(seconds: days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    /// Counted from 1 March, so that the leap day is the last day of its year.
    static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (153 * month + 2) / 5 + day - 1 - 719_468
    }
}
