import Gatehouse

/// The date of a mail (RFC 5322, section 3.3): `Wed, 25 Nov 2026 12:00:00 +0000`.
enum MailDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay: Int64 = 86_400

    static func text(_ time: Timestamp) -> String {
        // `2026-11-25T12:00:00.000Z`
        let parts = time.description.split { "-T.".contains($0) }
        guard parts.count > 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        // 1 January 1970 was a Thursday.
        let day = Int((time.seconds / secondsPerDay) % 7)
        return "\(weekdays[max(0, day)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
