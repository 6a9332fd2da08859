import Text

/// Whether the clock of this machine agrees with a second one. Rows are deleted for their age only if it does: one
/// wrong clock must not destroy data that all nodes share.
package enum ClockAgreement: Sendable, Equatable {
    case agrees
    /// How far the clock of this machine is ahead of the second one; negative if it is behind.
    case differs(by: Duration)
    /// No second clock tells the time. The clock is at most this far ahead; nil if even that is not known.
    case unconfirmed(atMost: Duration?)

    /// The largest difference between two clocks that agree.
    package static let tolerance = Duration.seconds(30)
    /// A node that differs by more than this from a database with which the other nodes agree is not ready.
    package static let readinessLimit = Duration.seconds(300)

    /// - Parameters:
    ///   - authorities: clocks that know the time by themselves. If one of them gives a verdict, it decides.
    ///   - memory: the time that this machine or this database knew last.
    package static func decide(authorities: [ClockReading], memory: ClockReading?) -> ClockAgreement {
        let verdicts = authorities.compactMap(\.verdict)
        if let difference = verdicts.first(where: { $0 != .agrees }) { return difference }
        if !verdicts.isEmpty { return .agrees }
        return memory?.verdict ?? .unconfirmed(atMost: memory?.lead)
    }
}

/// What another clock says, compared with the clock of this machine.
package struct ClockReading: Sendable, Equatable {
    /// How far the clock of this machine is ahead; negative if it is behind.
    package let lead: Duration
    /// The maximum error of the lead. A slow answer has a large one.
    package let uncertainty: Duration
    /// The other clock gives only the earliest possible time: the time that has passed since it was read is not known.
    package let isLowerBound: Bool

    package init(lead: Duration, uncertainty: Duration = .zero, isLowerBound: Bool = false) {
        (self.lead, self.uncertainty, self.isLowerBound) = (lead, uncertainty, isLowerBound)
    }

    /// Nil if the reading shows neither that the clocks agree nor that they differ.
    fileprivate var verdict: ClockAgreement? {
        let distance = lead.magnitude
        if distance + uncertainty <= ClockAgreement.tolerance { return .agrees }
        let isConclusive = distance - uncertainty > ClockAgreement.tolerance && !(isLowerBound && lead > .zero)
        return isConclusive ? .differs(by: lead) : nil
    }
}

/// A time, and the uptime of the machine at that time; nil if the uptime is not known, or is that of an earlier start.
package struct KnownTime: Sendable, Equatable {
    package let moment: Timestamp
    package let uptime: Duration?

    package init(moment: Timestamp, uptime: Duration?) {
        (self.moment, self.uptime) = (moment, uptime)
    }

    /// The current time by this knowledge. If the machine was started since, the known time is the earliest possible
    /// one.
    package func reading(now: Timestamp, uptime current: Duration) -> ClockReading {
        guard let uptime, uptime <= current else {
            return ClockReading(lead: moment.duration(to: now), isLowerBound: true)
        }
        return ClockReading(lead: (moment + (current - uptime)).duration(to: now))
    }
}

/// What the nodes of a database say about its clock.
package enum NodeClocks {
    /// Whether the clock of this node differs from the database's, while those of most other nodes agree with it.
    /// Without other nodes, or if they differ as well, the database's clock may be the wrong one.
    ///
    /// - Parameter others: how far the other nodes are ahead of the database.
    package static func isApart(_ agreement: ClockAgreement, others: [Duration]) -> Bool {
        guard case .differs(let lead) = agreement, isFar(lead) else { return false }
        let agreeing = others.filter { !isFar($0) }.count
        return agreeing > others.count - agreeing
    }

    private static func isFar(_ lead: Duration) -> Bool {
        lead.magnitude > ClockAgreement.readinessLimit
    }
}

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
        guard position < bytes.count, bytes[position].isDigit else { return nil }
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
