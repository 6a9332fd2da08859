import POSIX
import Synchronization

/// Gathers the work of concurrent callers into batches: one caller, the leader, runs a batch for all of its callers.
///
/// It has no thread of its own. A caller that finds no leader becomes the leader and runs its work at once, so a single
/// caller does not wait for others. Callers that arrive meanwhile queue up, and the first of them leads the next batch.
final class BatchQueue<Work: QueuedWork>: Sendable {
    /// What the leader does with work after its batch.
    enum Next {
        case run
        /// The queued work fails as the batch did. If each queued batch ran and waited for the same timeout, every
        /// worker would be blocked.
        case fail((Work) -> Void)
        /// This work of the batch has not run, and is left to the next leaders: it must run after the rest of the batch, or
        /// the time of the leader's request is over.
        case leave([Work])
    }

    /// What a leader does before it takes the work of its batch.
    enum Gathering {
        case none
        /// On a busy processor other callers run first, and their work joins the batch.
        case yield
        /// Waits, if work arrives so fast that the wait saves half of the batches.
        case pause(Duration)
    }

    /// A leader pauses only if it expects this much work to arrive.
    private static var worthwhile: Int64 { 2 }

    private struct State {
        var waiting: [Work] = []
        var isLed = false
        var rate = ArrivalRate()
    }

    /// Limits how long the first of a batch waits for the last.
    private let largest: Int
    private let gathering: Gathering
    private let state = Monitor(State())

    init(largest: Int = 256, gathering: Gathering = .none) {
        (self.largest, self.gathering) = (largest, gathering)
    }

    /// How much work waits until the current batch ends.
    var waitingCount: Int { state.change { $0.waiting.count } }

    /// Returns after a batch with this work has run.
    ///
    /// - Parameter run: runs a batch, if this caller leads one. One leader at a time calls it.
    func perform(_ work: Work, run: ([Work]) -> Next) { _ = hasRun(work, until: nil, run) }

    /// Throws if the work has not run by `end`. It may run later, but no thread reads its result.
    ///
    /// - Parameter run: must also end by `end`. The first work of its batch is the caller's.
    func perform(_ work: Work, until end: MonotonicTime, run: ([Work]) -> Next) throws(TimeIsOver) {
        if !hasRun(work, until: end, run) { throw TimeIsOver() }
    }

    private func hasRun(_ work: Work, until end: MonotonicTime?, _ run: ([Work]) -> Next) -> Bool {
        let leads = state.change { state in
            state.waiting.append(work)
            state.rate.add()
            defer { state.isLed = true }
            return !state.isLed
        }
        if leads {
            lead(run)
            return true
        }
        guard let turn = work.waitForTurn(until: end) else {
            state.change { $0.waiting.removeAll { $0 === work } }
            return false
        }
        if turn == .lead { lead(run) }
        return true
    }

    private func lead(_ run: ([Work]) -> Next) {
        gather()
        var batch = state.change { state in
            let batch = Array(state.waiting.prefix(largest))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        switch BlockingSection.run({ run(batch) }) {
        case .run: break
        case .fail(let fail):
            let others = takeAll()
            others.forEach(fail)
            batch += others
        case .leave(let rest):
            batch.removeAll { work in rest.contains { $0 === work } }
            // Behind what can run, which many logins by one identity would otherwise keep waiting.
            state.change { $0.waiting += rest }
        }
        passOnLead()
        for work in batch { _ = work.wake(to: .finished) }
    }

    /// Wakes the first caller that still waits.
    private func passOnLead() {
        var next: Work?
        repeat {
            next = state.change { state in
                if let abandoned = next { state.waiting.removeAll { $0 === abandoned } }
                state.isLed = !state.waiting.isEmpty
                return state.waiting.first
            }
        } while next.map { !$0.wake(to: .lead) } ?? false
    }

    private func gather() {
        switch gathering {
        case .none: break
        case .yield: Thread.yield()
        case .pause(let time):
            guard state.change({ $0.rate.arrivals(in: time) }) >= Self.worthwhile else { return }
            BlockingSection.run { Thread.pause(for: time) }
        }
    }

    private func takeAll() -> [Work] {
        state.change { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
    }
}

/// The time of the request is over.
struct TimeIsOver: Error {}

/// How much work arrives per second.
private struct ArrivalRate {
    private static let window = Duration.milliseconds(20)

    private var perSecond: Int64 = 0
    private var count: Int64 = 0
    private var began = MonotonicTime.now

    mutating func add() { count += 1 }

    mutating func arrivals(in time: Duration) -> Int64 {
        let now = MonotonicTime.now
        if began + Self.window < now {
            perSecond = count * 1000 / (now.milliseconds - began.milliseconds)
            (count, began) = (0, now)
        }
        return perSecond * time.wholeMilliseconds / 1000
    }
}

/// Work in a `BatchQueue`, and the thread that waits for it.
///
/// `@unchecked Sendable`: the leader uses it between the queue's mutex and `wake`, the waiting thread after
/// `waitForTurn`. The semaphore separates the two.
class QueuedWork: @unchecked Sendable {
    enum Turn {
        /// A batch with it has run.
        case finished
        /// The work has not run yet: its thread leads the next batch.
        case lead
    }

    private enum Phase { static let (waiting, woken, abandoned) = (0, 1, 2) }

    private var turn = Turn.finished
    private let call = Semaphore()
    private let phase = Atomic(Phase.waiting)

    /// Nil if it has no turn by `end`. Then it gets none any more.
    fileprivate func waitForTurn(until end: MonotonicTime?) -> Turn? {
        BlockingSection.run {
            guard let end else { return call.wait() }
            if !call.wait(untilMilliseconds: end.milliseconds), !leavePhaseOfWaiting(for: Phase.abandoned) {
                // The leader has woken it since, so the semaphore is posted.
                call.wait()
            }
        }
        return phase.load(ordering: .acquiring) == Phase.abandoned ? nil : turn
    }

    /// False if its thread does not wait any more.
    fileprivate func wake(to turn: Turn) -> Bool {
        // The waiting thread does not read the turn of abandoned work.
        self.turn = turn
        guard leavePhaseOfWaiting(for: Phase.woken) || turn == .finished else { return false }
        call.post()
        return true
    }

    private func leavePhaseOfWaiting(for next: Int) -> Bool {
        phase.compareExchange(expected: Phase.waiting, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
}
