import Gatehouse
import GatehouseServer
import GatehouseStore
import POSIX

/// Whether the clock can be right. By a wrong one every token has expired, or is of the future.
struct ClockCheck: Check {
    /// What tokens forgive.
    static let tolerance = Duration.seconds(60)

    struct Facts {
        var now: Timestamp
        /// When this program was made.
        var madeAt: Timestamp?
        /// The latest moment that the database knows of.
        var newest: Timestamp?
        /// The time that Apple's server has.
        var elsewhere: Timestamp?
        var isSynchronised: Bool?
    }

    let subject = "clock"
    let path: String?
    let elsewhere: Timestamp?

    func look() -> [Finding] {
        let madeAt = try? FileStatus(of: "/proc/self/exe").modifiedAt
        let newest = path.flatMap { File.isReadable($0) ? try? SQLiteFile(path: $0).newestMoment() : nil }
        return [
            judge(
                Facts(
                    now: World.real.now(), madeAt: madeAt.map { Timestamp(seconds: $0) }, newest: newest,
                    elsewhere: elsewhere, isSynchronised: KernelClock.isSynchronised))
        ]
    }

    func judge(_ facts: Facts) -> Finding {
        let now = facts.now
        let advice = "timedatectl set-ntp true; timedatectl status"
        // Time zones have been mistaken for times.
        if let made = facts.madeAt, now < made - .seconds(86_400) {
            return .fault("it is \(now) here, and this program was made at \(made)", advice)
        }
        if let other = facts.elsewhere, abs(now.milliseconds - other.milliseconds) > Self.tolerance.milliseconds {
            return .fault("it is \(now) here, and \(other) at Apple's server", advice)
        }
        if let newest = facts.newest, newest > now + Self.tolerance {
            let cause = "the clock is behind, or was ahead when that was written"
            return .fault("it is \(now) here, and the database knows of \(newest): \(cause)", advice)
        }
        if facts.isSynchronised == false { return .note("\(now), and nobody keeps it right", advice) }
        return .ok("\(now)" + (facts.elsewhere == nil ? "" : ", as at Apple's server"))
    }
}
