import FastCGI
import Gatehouse
import JSON
import POSIX
import Processes
import Sockets

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

/// The status line that `systemctl status` shows: rates and faults.
struct StatusLine {
    struct Facts {
        var answered: Int
        var failed: Int
        var connections: Int
        /// Nil if there are no keys.
        var keySetAge: Duration?
        /// The fault that makes the server not ready; nil if there is none.
        var notReadyReason: String?
        /// The fault of the last reload; nil if it succeeded.
        var refusal: String?
    }

    private var last: (facts: Facts, moment: ContinuousClock.Instant)?
    private var failedAt: ContinuousClock.Instant?

    /// The rate is since the previous line. Failures are counted since the start, so that an operator sees them later.
    mutating func text(_ facts: Facts, at moment: ContinuousClock.Instant) -> String {
        defer { last = (facts, moment) }
        let seconds = last.map { max(0.001, $0.moment.duration(to: moment) / .seconds(1)) } ?? .infinity
        let answered = Double(facts.answered - (last?.facts.answered ?? 0)) / seconds
        if facts.failed > (last?.facts.failed ?? 0) { failedAt = moment }
        let connections = facts.connections == 1 ? "1 connection" : "\(facts.connections) connections"
        let keys = facts.keySetAge.map { "Apple's keys \($0.abbreviated) old" } ?? "no keys of Apple"
        let line = "\(Self.rate(answered)) requests/s, \(failures(facts, at: moment)); \(connections); \(keys)"
        let faults = [facts.notReadyReason.map { "NOT READY: \($0)" }, facts.refusal].compactMap { $0 }
        return (faults + [line]).joined(separator: "; ")
    }

    private func failures(_ facts: Facts, at moment: ContinuousClock.Instant) -> String {
        guard let failedAt else { return "none failed" }
        return "\(facts.failed) failed, the last \(failedAt.duration(to: moment).abbreviated) ago"
    }

    /// A small rate has a decimal, and one above zero is never written as 0.
    static func rate(_ rate: Double) -> String {
        switch rate {
        case ...0: "0"
        case ..<0.1: "<0.1"
        case ..<9.95: "\((rate * 10).rounded() / 10)"
        default: "\(Int(rate.rounded()))"
        }
    }
}

/// Sends `/healthz` to this process as nginx would: through the listening socket, the poller, a worker, the
/// router and a read of the store. Any answer is a success: the watchdog restarts the process only for faults
/// that a restart can remove.
struct SelfCheck: Sendable {
    let responder: Responder

    private static let client = Client(path: "/healthz")

    func run(within time: Duration) throws(ClientFault) {
        let deadline = MonotonicTime.now + time
        do throws(ClientFault) {
            guard let address = try? SocketAddress(of: responder.listener.descriptor) else {
                return try checkWithoutListener(until: deadline)
            }
            _ = try Self.client.ask(address, until: deadline)
        } catch {
            guard concernsListenerOnly(error) else { throw error }
            try checkWithoutListener(until: deadline)
        }
    }

    /// Whether the fault says nothing about the process behind the listener. A server that closes new connections has
    /// reached its limit, but works. A restart does not repair the path of a socket that systemd created. But a queue
    /// that stays full means that this process accepts no connections.
    private func concernsListenerOnly(_ fault: ClientFault) -> Bool {
        switch fault {
        case .closedWithoutResponse: true
        case .unreachable(let error): responder.listener.isInherited && !error.isFullQueue
        case .truncated, .late, .tooLong, .malformed: false
        }
    }

    /// The same check over a pair of sockets, without the listener.
    private func checkWithoutListener(until deadline: MonotonicTime) throws(ClientFault) {
        let pair: SocketPair
        do { pair = try SocketPair() } catch { throw .unreachable(error) }
        let near = pair.giveFarEnd { far in responder.adopt(far, isOwn: true) }
        _ = try Self.client.ask(over: near, until: deadline)
    }
}
