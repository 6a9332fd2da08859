import FastCGI
import Gatehouse
import JSON
import POSIX
import Processes

/// Reports to the service manager that the server is ready and alive, and its status line.
struct Supervisor: Sendable {
    let manager: ServiceManager
    let responder: Responder
    let health: Health
    let requests: RequestCounts
    let reloads: ReloadRecord
    let keySetAge: @Sendable () -> Duration?
    let log: Log

    private static let statusInterval = Duration.seconds(5)
    /// The time that a check may take before the server is ready; the watchdog does not run yet.
    private static let startTimeLimit = Duration.seconds(5)

    /// Runs until the server stops, on a thread of its own.
    func run(until stopping: Monitor<Bool>) {
        guard manager.isPresent else { return }
        var status = StatusLine()
        while !isAlive(within: Self.startTimeLimit, unless: stopping) {
            if stopping.isReached(within: .seconds(1)) { return }
        }
        log(.info, "ready")
        var line = describe(&status)
        manager.notify(.ready, .status(line))
        var (answers, reloadCount) = (true, reloads.count)
        var checkAt = ContinuousClock.now
        var statusAt = checkAt + Self.statusInterval
        let watchdog = manager.watchdogInterval.map(WatchdogSchedule.init)
        while !stopping.isReached(within: Self.untilFirst(of: [watchdog == nil ? nil : checkAt, statusAt])) {
            if let watchdog, checkAt <= .now {
                answers = isAlive(within: watchdog.timeLimit, unless: stopping)
                if answers, !stopping.isReached(within: .zero) { manager.notify(.alive) }
                // The fault has replaced the status line.
                if !answers { line = "" }
                checkAt = .now + (answers ? watchdog.pause : watchdog.retry)
            }
            guard statusAt <= .now else { continue }
            statusAt = .now + Self.statusInterval
            guard answers else { continue }
            let next = describe(&status)
            // A reload replaces the status line with its own.
            let isStale = next != line || reloads.count != reloadCount
            if isStale, !stopping.isReached(within: .zero) { manager.notify(.status(next)) }
            (line, reloadCount) = (next, reloads.count)
        }
    }

    /// A failure during a stop is not reported: the check waits in the queue of the socket for the next process.
    private func isAlive(within time: Duration, unless stopping: Monitor<Bool>) -> Bool {
        do throws(ClientFault) {
            try SelfCheck(responder: responder).run(within: time)
            return true
        } catch {
            guard !stopping.isReached(within: .zero) else { return false }
            let fault = "the server does not answer its own health check: \(error)"
            log(.error, "self_check", [("fault", .string(fault))])
            manager.notify(.status(fault))
            return false
        }
    }

    private func describe(_ status: inout StatusLine) -> String {
        let (answered, failed) = requests.total
        return status.text(
            StatusLine.Facts(
                answered: answered, failed: failed, connections: responder.openConnections,
                keySetAge: keySetAge(), notReadyReason: health.knownFault, refusal: reloads.refusal),
            at: .now)
    }

    private static func untilFirst(of moments: [ContinuousClock.Instant?]) -> Duration {
        moments.compactMap { $0 }.map { max(.zero, ContinuousClock.now.duration(to: $0)) }.min() ?? .zero
    }
}

extension Monitor<Bool> {
    func isReached(within time: Duration) -> Bool {
        wait(atMost: time, for: { $0 ? () : nil }) != nil
    }
}

/// The times of watchdog notifications. A self-check that fails is repeated once before the watchdog's interval ends.
struct WatchdogSchedule: Equatable {
    /// From a success to the next check.
    let pause: Duration
    /// The time that a check may take.
    let timeLimit: Duration
    /// From a failure to the next check.
    let retry: Duration

    /// The first check begins after half of the interval; a second one has failed when a twentieth of it is left.
    init(interval: Duration) {
        pause = interval / 2
        timeLimit = interval / 5
        retry = interval / 20
    }
}
