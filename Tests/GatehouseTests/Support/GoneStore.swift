import Gatehouse
import Synchronization

/// A store whose disk is gone: it went right after the start.
final class GoneStore: PartialStore {
    private let signs = Atomic<UInt64>(0)
    private let hasStarted = Atomic(false)

    /// The one question asked at start, while the disk was there.
    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        guard !hasStarted.exchange(true, ordering: .relaxed) else { throw StoreFailure("the disk is gone") }
        return []
    }

    var revocationSign: UInt64 { signs.load(ordering: .relaxed) }

    func sign() { signs.add(1, ordering: .relaxed) }
}
