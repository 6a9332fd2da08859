import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import POSIX

/// Whether the clock is right. With a wrong clock, tokens are expired or not yet valid.
struct ClockCheck: Check {
    /// The leeway of tokens.
    static let tolerance = Duration.seconds(60)

    struct Facts {
        var now: Timestamp
        /// The build time of this program.
        var madeAt: Timestamp?
        /// The latest time in the database.
        var newest: Timestamp?
        /// The time of Apple's server, to the second.
        var appleTime: Timestamp?
        var isSynchronised: Bool?
        /// What the server knows of the time, if the database is a file.
        var known: ClockReading?
    }

    let subject = "clock"
    let database: (any ExaminedDatabase)?
    let appleTime: Timestamp?

    func run() -> [Finding] {
        let madeAt = try? FileStatus(of: "/proc/self/exe").modifiedAt
        let newest = database.flatMap { try? $0.newestMoment() }
        let now = Platform.system.now()
        let known = (try? database?.lastKnownTime())?.reading(now: now, uptime: Platform.system.uptime())
        return [
            evaluate(
                Facts(
                    now: now, madeAt: madeAt.map { Timestamp(seconds: $0) }, newest: newest,
                    appleTime: appleTime, isSynchronised: KernelClock.isSynchronised, known: known))
        ]
    }

    func evaluate(_ facts: Facts) -> Finding {
        let now = facts.now
        let advice = "timedatectl set-ntp true; timedatectl status"
        // A day of tolerance, since build times may be in another time zone.
        if let made = facts.madeAt, now < made - .seconds(86_400) {
            return .fault("the clock says \(now), but this program was built at \(made)", advice)
        }
        if let other = facts.appleTime, abs(now.milliseconds - other.milliseconds) > Self.tolerance.milliseconds {
            return .fault("the clock says \(now), and Apple's server \(other)", advice)
        }
        if facts.appleTime == nil, let finding = Self.finding(facts.known, at: now, advice) { return finding }
        if let newest = facts.newest, newest > now + Self.tolerance {
            let cause = "the clock is slow, or was fast when that was written"
            let message = "the clock says \(now), but the database has a time of \(newest): \(cause)"
            // Times that a wrong clock has written stay in the database. They are no fault once the clock is right.
            return facts.appleTime == nil ? .fault(message, advice) : .note(message)
        }
        if facts.isSynchronised == false { return .note("\(now), not synchronised", advice) }
        return .ok("\(now)" + (facts.appleTime == nil ? "" : ", as at Apple's server"))
    }

    /// Nil if the server deletes expired rows.
    private static func finding(_ known: ClockReading?, at now: Timestamp, _ advice: String) -> Finding? {
        guard let known else { return nil }
        let consequence = "the server deletes nothing that has expired until two clocks agree"
        switch ClockAgreement.decide(authorities: [], memory: known) {
        case .agrees: return nil
        case .differs:
            return .fault("the clock says \(now), but \(now - known.lead) was expected: \(consequence)", advice)
        case .unconfirmed:
            return .note("the clock says \(now), and no second clock confirms it: \(consequence)", advice)
        }
    }
}
