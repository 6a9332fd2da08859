import EventDelivery
import Gatehouse
import Synchronization

/// Counts what receivers answer to events.
final class EventCounts: MetricSource {
    private struct Key: Hashable {
        let receiver: String
        let outcome: String
    }

    private let sent = Mutex<[Key: Int]>([:])
    private let dead = Mutex<[String: Int]>([:])
    /// The receivers of the settings.
    private let receivers = Mutex<Set<String>>([])

    func add(_ names: [String]) { receivers.withLock { $0.formUnion(names) } }

    func count(_ report: EventDeliveryReport) {
        switch report {
        case .sent(let receiver, let outcome):
            sent.withLock { $0[Key(receiver: receiver, outcome: outcome.label), default: 0] += 1 }
        case .gaveUp(let receiver, let count, _): dead.withLock { $0[receiver, default: 0] += count }
        case .stopped, .storeFailed: return
        }
    }

    func write(to text: inout Exposition) {
        let (names, sent, dead) = (
            receivers.withLock { $0.sorted() }, sent.withLock { $0 }, dead.withLock { $0 }
        )
        text.begin("gatehouse_events_sent_total", .counter, "Requests to receivers of events, by what came of them.")
        for name in names {
            for outcome in EventOutcome.labels {
                text.sample(
                    sent[Key(receiver: name, outcome: outcome)] ?? 0, [("receiver", name), ("outcome", outcome)])
            }
        }
        text.begin(
            "gatehouse_events_given_up_total", .counter, "Events that became dead letters after three days of failures."
        )
        for name in names { text.sample(dead[name] ?? 0, [("receiver", name)]) }
    }
}

/// Measures the outbox at each scrape. All nodes report the same.
struct EventGauges: MetricSource {
    let store: any EventStore
    let log: Log
    let now: @Sendable () -> Timestamp

    func write(to text: inout Exposition) {
        var states: [ReceiverState] = []
        do throws(Refusal) { states = try store.receiverStates() } catch {
            if case .storageUnavailable(let failure) = error { log.storeFailure(failure) }
        }
        write(
            states, to: &text, "gatehouse_events_waiting", "Events that a receiver has not been told yet."
        ) { Double($0.waiting) }
        write(
            states, to: &text, "gatehouse_events_oldest_seconds",
            "Age of the oldest event that a receiver has not been told yet; 0 if there is none."
        ) { state in
            state.oldest.map { Double(max(0, now().milliseconds - $0.milliseconds)) / 1000 } ?? 0
        }
        write(
            states, to: &text, "gatehouse_events_dead_letters", "Events that were given up, and can be sent again."
        ) { Double($0.dead) }
        write(
            states, to: &text, "gatehouse_event_receiver_stopped",
            "1 if a receiver has answered that it wants no more events, 0 if not."
        ) { $0.stoppedAt == nil ? 0 : 1 }
    }

    private func write(
        _ states: [ReceiverState], to text: inout Exposition, _ name: String, _ help: String,
        _ value: (ReceiverState) -> Double
    ) {
        text.begin(name, .gauge, help)
        for state in states { text.sample(value(state), [("receiver", state.subscription.name)]) }
    }
}
