import Synchronization

/// How many requests were answered, and how many of them with a fault of ours. Counting takes no lock.
final class Traffic: Sendable {
    private let answered = Atomic(0)
    private let failed = Atomic(0)

    func count(status: Int) {
        answered.wrappingAdd(1, ordering: .relaxed)
        if status >= 500 { failed.wrappingAdd(1, ordering: .relaxed) }
    }

    var total: (answered: Int, failed: Int) {
        (answered.load(ordering: .relaxed), failed.load(ordering: .relaxed))
    }
}
