import Gatehouse
import Synchronization

/// A store that fails in every operation after the start of the service.
final class FailingStore: PartialStore {
    private let counter = Atomic<UInt64>(0)
    private let hasStarted = Atomic(false)

    /// The first read, at the start of the service, succeeds.
    func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        guard !hasStarted.exchange(true, ordering: .relaxed) else { throw storageFailure }
        return []
    }

    var revocationCounter: UInt64 { counter.load(ordering: .relaxed) }

    func incrementRevocationCounter() { counter.add(1, ordering: .relaxed) }
}
