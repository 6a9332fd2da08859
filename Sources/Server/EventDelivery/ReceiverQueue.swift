import Gatehouse
import POSIX

/// Sends the events of one receiver, by threads of its own: a receiver that hangs delays no other receiver, and no
/// request.
///
/// At most one node sends to a receiver: the holder of the lease in the database. Each of the holder's threads takes
/// the oldest event of a user without an event in flight, sends the event, and removes or postpones it in the database
/// before any thread takes that user's next event. If the process ends in between, the next holder sends the event
/// again.
final class ReceiverQueue: Sendable {
    /// What a queue works with.
    struct Environment: Sendable {
        let store: any EventStore
        /// An id of this process.
        let node: String
        /// Reads what is sent.
        let content: @Sendable (QueuedEvent) throws(Refusal) -> [UInt8]
        let send: @Sendable (EventReceiver, QueuedEvent, _ content: [UInt8]) -> EventOutcome
        let now: @Sendable () -> Timestamp
        let isClockTrusted: @Sendable () -> Bool
        let report: @Sendable (EventDeliveryReport) -> Void
    }

    /// How long the lease lasts that a node takes: twice as long as a request. A node that is killed delays its receivers by that.
    static let lease = EventSender.timeLimit * 2
    /// The lease is prolonged at a fetch, unless it was just taken.
    private static let renewal = Duration.seconds(4)
    /// How often the database is asked for events.
    fileprivate static let pollInterval = Duration.seconds(1)
    private static let batch = 64
    /// How often a pause looks for a command of the operator that ends it.
    private static let lookInterval = Duration.seconds(2)

    private struct State {
        var receiver: EventReceiver
        var pace = ReceiverPace()
        /// Events that can be sent, the oldest of each user.
        var ready: [QueuedEvent] = []
        /// Users for whom an event is on its way.
        var users: Set<UserID> = []
        /// A copy of `users` from when a thread began to ask the database; nil while none asks. Events that it finds for these
        /// users may be out of date.
        var usersAtFetch: Set<UserID>?
        var fetchAt = Duration.zero
        /// Whether a user's next event may have become ready since the last fetch.
        var hasMore = false
        /// Until when the database says that this node may send, less the time that its answer took.
        var heldUntil = Duration.zero
        var isEnded = false
        var lookAt = Duration.zero
        /// What the last look has found; nil before the lease was taken for the first time.
        var resumption: Timestamp??

        mutating func takeTask(at now: Duration) -> Task? {
            if isEnded { return .end }
            if pace.isPaused(at: now) {
                guard now >= lookAt else { return nil }
                lookAt = now + ReceiverQueue.lookInterval
                return .look
            }
            guard users.count < pace.permitted else { return nil }
            if mayBeginRequest(at: now), let event = ready.first {
                ready.removeFirst()
                users.insert(event.event.userID)
                return .send(event, to: receiver)
            }
            guard usersAtFetch == nil, now >= fetchAt else { return nil }
            (usersAtFetch, hasMore) = (users, false)
            return .fetch
        }

        /// No other node may take the lease while a request is under way.
        func mayBeginRequest(at now: Duration) -> Bool { now + EventSender.timeLimit < heldUntil }

        mutating func take(_ resumption: Timestamp?) {
            if let last = self.resumption, last != resumption { pace = ReceiverPace() }
            self.resumption = resumption
        }

        mutating func take(_ events: [QueuedEvent], askedAt moment: Duration) {
            let busy = users.union(usersAtFetch ?? [])
            usersAtFetch = nil
            ready = events.filter { !busy.contains($0.event.userID) }
            fetchAt = ready.isEmpty && !hasMore ? moment + ReceiverQueue.pollInterval : moment
        }

        mutating func end(_ event: QueuedEvent) {
            users.remove(event.event.userID)
            // A pause may be long, and what was fetched be out of date after it.
            if pace.failures > 0 { ready = [] }
            hasMore = true
            if usersAtFetch == nil, ready.isEmpty { fetchAt = .zero }
        }

        /// A change of the state ends a wait earlier.
        func timeToNextTask(at now: Duration) -> Duration {
            if pace.isPaused(at: now) { return max(.milliseconds(1), min(lookAt, pace.pausedUntil ?? now) - now) }
            guard users.count < pace.permitted, usersAtFetch == nil else { return .seconds(1) }
            return max(.milliseconds(1), fetchAt - now)
        }
    }

    private enum Task {
        case send(QueuedEvent, to: EventReceiver)
        case fetch
        case look
        case end
    }

    private let name: String
    private let environment: Environment
    private let state: Monitor<State>

    init(_ receiver: EventReceiver, _ environment: Environment) {
        name = receiver.name
        self.environment = environment
        state = Monitor(State(receiver: receiver))
    }

    /// The settings of a reload.
    func update(_ receiver: EventReceiver) { state.change { $0.receiver = receiver } }

    /// Lets the threads end after the request that each has under way.
    func end() { state.change { $0.isEnded = true } }

    /// The work of one thread, until the end.
    func run() {
        while true {
            switch nextTask() {
            case .send(let event, let receiver): send(event, to: receiver)
            case .fetch: fetch()
            case .look: look()
            case .end: return
            }
        }
    }

    /// Lets another node send. To be called after all threads have ended.
    func release() {
        do throws(Refusal) { try environment.store.release(name, by: environment.node) } catch { report(error) }
    }

    /// Counts while the machine is suspended, as the clock of the database does.
    private var uptime: Duration { .milliseconds(MachineUptime.milliseconds) }

    private func nextTask() -> Task {
        while true {
            let time = read { $0.timeToNextTask(at: uptime) }
            if let task = state.wait(atMost: time, for: { $0.takeTask(at: self.uptime) }) { return task }
        }
    }

    private func read<Result>(_ body: (State) -> Result) -> Result { state.wait { body($0) } }

    // MARK: Fetching

    private func fetch() {
        let started = uptime
        do throws(Refusal) {
            let isHeld = try holdLease(at: started)
            let events =
                isHeld
                ? try environment.store.dueEvents(for: name, now: environment.now(), limit: Self.batch) : []
            state.change { $0.take(events, askedAt: started) }
        } catch {
            report(error)
            state.change { $0.take([], askedAt: started) }
        }
    }

    /// False while another node sends, and for a receiver that was stopped.
    private func holdLease(at started: Duration) throws(Refusal) -> Bool {
        if read({ started < $0.heldUntil - (Self.lease - Self.renewal) }) { return true }
        let isHeld = try environment.store.hold(name, by: environment.node, for: Self.lease)
        // Before the first request: a command that comes while it fails must end the pause.
        if isHeld, read({ $0.resumption == nil }) {
            let resumption = try environment.store.resumption(of: name)
            state.change { $0.take(resumption) }
        }
        state.change { $0.heldUntil = isHeld ? started + Self.lease : .zero }
        return isHeld
    }

    /// Keeps the lease during a pause, and ends the pause if the operator wants that.
    private func look() {
        do throws(Refusal) {
            // Another node, which knows nothing of the pause, would send at once.
            _ = try holdLease(at: uptime)
            let resumption = try environment.store.resumption(of: name)
            state.change { $0.take(resumption) }
        } catch { report(error) }
    }

    // MARK: Sending

    private func send(_ event: QueuedEvent, to receiver: EventReceiver) {
        do throws(Refusal) {
            let content = try environment.content(event)
            // The database may have been slow. Without the lease, another node may be sending by now.
            guard read({ $0.mayBeginRequest(at: uptime) }) else { return state.change { $0.end(event) } }
            let outcome = environment.send(receiver, event, content)
            let step = state.change { state in
                state.pace.record(
                    outcome, of: event, at: environment.now(), uptime: uptime,
                    isClockTrusted: environment.isClockTrusted(), chance: Double.random(in: 0...1))
            }
            environment.report(.sent(receiver: name, outcome))
            try apply(step, to: event)
        } catch {
            // The event is sent again: whether the receiver has had it is not known to the database.
            report(error)
            Thread.pause(for: Self.pollInterval)
        }
        state.change { $0.end(event) }
    }

    private func apply(_ step: EventStep, to event: QueuedEvent) throws(Refusal) {
        let (store, now) = (environment.store, environment.now())
        switch step {
        case .finish: try store.finish(event)
        case .stop(let fault):
            try store.postpone(event, until: now, fault: fault, now: now)
            try store.stop(name, now: now)
            state.change { $0.heldUntil = .zero }
            environment.report(.stopped(receiver: name))
        case .postpone(let moment, let fault): try store.postpone(event, until: moment, fault: fault, now: now)
        case .giveUp(let fault):
            try store.postpone(event, until: nil, fault: fault, now: now)
            environment.report(.gaveUp(receiver: name, count: 1, fault: fault))
        case .giveUpExpired(let fault):
            let count = try store.expireEvents(for: name, fault: fault, now: now)
            environment.report(.gaveUp(receiver: name, count: count, fault: fault))
        }
    }

    private func report(_ refusal: Refusal) { environment.report(.storeFailed(refusal)) }
}
