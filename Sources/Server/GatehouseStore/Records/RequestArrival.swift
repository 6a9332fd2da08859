import POSIX

/// The arrival time of the request that the calling thread answers. The time that a request may wait for the database
/// counts from its arrival, however many calls it makes. Of the two databases,
/// PostgreSQL reads it.
package enum RequestArrival {
    private final class Moment {
        var time: MonotonicTime?
    }

    private static let moment = ThreadLocal(Moment())

    /// Nil on a thread that answers no request. Then the time counts from the beginning of each call.
    static var time: MonotonicTime? { moment.own.time }

    /// Answers a request that has just arrived.
    package static func now<Result>(_ answer: () -> Result) -> Result { at(.now, answer) }

    static func at<Result>(_ time: MonotonicTime, _ answer: () -> Result) -> Result {
        let moment = moment.own
        moment.time = time
        defer { moment.time = nil }
        return answer()
    }
}
