package import Gatehouse

extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads the one form that servers write (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: String) {
        guard let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/),
            let month = Self.months.firstIndex(of: String(match.2)), let day = Int(match.1),
            let year = Int(match.3), let days = Self.daysSince1970(year, month + 1, day),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
        else { return nil }
        self.init(seconds: Int64(days) * 86_400 + hour * 3600 + minute * 60 + second)
    }
}
