package import Gatehouse
package import POSIX
import Synchronization

/// Runs a queue for each configured receiver, and registers the receivers in the database.
package final class EventDispatcher: Sendable {
    /// How often the registration is renewed, which `gatehouse events receivers` shows.
    private static let registrationInterval = Duration.seconds(600)

    private struct Running {
        let queue: ReceiverQueue
        let threads: [Thread]
    }

    private struct State {
        var receivers: [EventReceiver]
        var registered: [EventSubscription] = []
        var registerAt = MonotonicTime.now
    }

    private let environment: ReceiverQueue.Environment
    private let state: Mutex<State>
    private let running = Mutex<[String: Running]>([:])

    /// Registers the receivers, so that the first request already queues events for them.
    ///
    /// - Parameters:
    ///   - node: an id of this process.
    ///   - isClockTrusted: whether the clock may decide that an event is too old.
    package init(
        _ receivers: [EventReceiver], store: any Store & EventStore, node: String, writing write: @escaping UserWriter,
        now: @escaping @Sendable () -> Timestamp, isClockTrusted: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (EventDeliveryReport) -> Void
    ) {
        let sender = EventSender(store: store, now: now, write: write)
        environment = ReceiverQueue.Environment(
            store: store, node: node,
            content: { (event) throws(Refusal) in try sender.content(of: event) },
            send: { receiver, event, content in sender.send(event, content, to: receiver) }, now: now,
            isClockTrusted: isClockTrusted, report: report)
        state = Mutex(State(receivers: receivers))
        registerIfDue()
    }

    /// Takes the receivers of new settings. Their queues go on.
    package func apply(_ receivers: [EventReceiver]) {
        state.withLock { $0.receivers = receivers }
        registerIfDue()
    }

    /// Sends events until `ended` is set, and then waits for the requests under way. Called by one thread.
    package func run(until ended: Monitor<Bool>) {
        repeat {
            registerIfDue()
            adjust(to: state.withLock { $0.receivers })
        } while ended.wait(atMost: .seconds(1), for: { $0 ? true : nil }) == nil
        adjust(to: [])
    }

    /// Tried again every second while the database fails.
    private func registerIfDue() {
        let subscriptions: [EventSubscription]? = state.withLock { state in
            let subscriptions = state.receivers.map(\.subscription)
            return subscriptions == state.registered && .now < state.registerAt ? nil : subscriptions
        }
        guard let subscriptions else { return }
        do throws(Refusal) {
            try environment.store.register(subscriptions, now: environment.now())
            state.withLock { state in
                (state.registered, state.registerAt) = (subscriptions, .now + Self.registrationInterval)
            }
        } catch {
            environment.report(.storeFailed(error))
        }
    }

    /// Starts and ends queues.
    private func adjust(to receivers: [EventReceiver]) {
        let wanted = Dictionary(uniqueKeysWithValues: receivers.map { ($0.name, $0) })
        let superfluous = running.withLock { running in
            let others = running.filter { wanted[$0.key] == nil }
            for name in others.keys { running[name] = nil }
            return others.values.map { $0 }
        }
        for queue in superfluous.map(\.queue) { queue.end() }
        for old in superfluous {
            for thread in old.threads { thread.join() }
            old.queue.release()
        }
        for (name, receiver) in wanted {
            if let known = running.withLock({ $0[name] }) { known.queue.update(receiver) } else { start(receiver) }
        }
    }

    private func start(_ receiver: EventReceiver) {
        let queue = ReceiverQueue(receiver, environment)
        // Without threads, the next second tries again.
        let threads = (0..<ReceiverPace.concurrency).compactMap { _ in
            try? Thread.spawn(name: "events") { queue.run() }
        }
        guard !threads.isEmpty else { return }
        running.withLock { $0[receiver.name] = Running(queue: queue, threads: threads) }
    }
}

extension EventReceiver {
    fileprivate var subscription: EventSubscription { EventSubscription(name: name, types: types) }
}

/// What happens while events are sent, for the log and for metrics.
package enum EventDeliveryReport: Sendable {
    case sent(receiver: String, EventOutcome)
    /// The receiver wants no more events.
    case stopped(receiver: String)
    case gaveUp(receiver: String, count: Int, fault: String)
    case storeFailed(Refusal)
}
