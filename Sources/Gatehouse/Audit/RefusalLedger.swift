import Synchronization

/// Keeps refusals until somebody finds the time to write them down: whoever is refused does not wait for the disk.
final class RefusalLedger: Sendable {
    private let tally: Mutex<RefusalTally>

    init(now: Timestamp) {
        tally = Mutex(RefusalTally(now: now))
    }

    func add(_ event: AuditEvent) {
        tally.withLock { $0.add(event) }
    }

    func takeAll() -> [AuditEvent] {
        tally.withLock { $0.takeAll() }
    }

    func take(now: Timestamp) -> [AuditEvent] {
        tally.withLock { $0.take(now: now) }
    }
}
