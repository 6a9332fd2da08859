import FastCGI
import FastCGIClient
import Gatehouse
import JSON
import POSIX

/// Keeps the service manager informed: that the server is ready, that it is alive, and how it is.
struct Supervisor: Sendable {
    let manager: ServiceManager
    let responder: Responder
    let health: Health
    let requests: RequestCounts
    let reloads: ReloadRecord
    let keySetAge: @Sendable () -> Duration?
    let log: Log

    private static let statusInterval = Duration.seconds(5)
    /// What the first check may take, which nobody's watchdog waits for yet.
    private static let firstPatience = Duration.seconds(5)

    /// Until the server stops; to be run on a thread of its own, while the responder runs on others.
    func run(until stopping: Monitor<Bool>) {
        guard manager.isPresent else { return }
        var status = StatusLine()
        while !isAlive(within: Self.firstPatience, unless: stopping) {
            if stopping.isReached(within: .seconds(1)) { return }
        }
        log(.info, "ready")
        var line = describe(&status)
        manager.tell(.ready, .status(line))
        var reloadCount = reloads.count
        var checkAt = ContinuousClock.now
        var statusAt = checkAt + Self.statusInterval
        let pace = manager.watchdogInterval.map(WatchdogPace.init)
        while !stopping.isReached(within: Self.untilFirst(of: [pace == nil ? nil : checkAt, statusAt])) {
            if let pace, checkAt <= .now { checkAt = feed(pace, unless: stopping) }
            guard statusAt <= .now else { continue }
            statusAt = .now + Self.statusInterval
            let next = describe(&status)
            // A reload has written a line of its own.
            let isStale = next != line || reloads.count != reloadCount
            if isStale, !stopping.isReached(within: .zero) { manager.tell(.status(next)) }
            (line, reloadCount) = (next, reloads.count)
        }
    }

    /// Says that the server is alive if it is, and returns when to look again.
    private func feed(_ pace: WatchdogPace, unless stopping: Monitor<Bool>) -> ContinuousClock.Instant {
        guard isAlive(within: pace.patience, unless: stopping) else { return .now + pace.retry }
        if !stopping.isReached(within: .zero) { manager.tell(.alive) }
        return .now + pace.pause
    }

    /// A server that stops does not answer itself any more: the question waits for the next process.
    private func isAlive(within patience: Duration, unless stopping: Monitor<Bool>) -> Bool {
        do throws(ClientFault) {
            try SelfCheck(responder: responder).run(within: patience)
            return true
        } catch {
            guard !stopping.isReached(within: .zero) else { return false }
            let fault = "the server does not answer itself: \(error)"
            log(.error, "self_check", [("fault", .string(fault))])
            manager.tell(.status(fault))
            return false
        }
    }

    private func describe(_ status: inout StatusLine) -> String {
        let (answered, failed) = requests.total
        return status.text(
            StatusLine.Facts(
                answered: answered, failed: failed, connections: responder.openConnections,
                keySetAge: keySetAge(), complaint: health.complaint, refusal: reloads.refusal),
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
