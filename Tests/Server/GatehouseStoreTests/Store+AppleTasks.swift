import GatehouseStore

extension ServerStore {
    /// The number of tasks in the outbox; -1 if it cannot be read.
    var unfinishedAppleTasks: Int {
        statistics().appleBacklog.map { $0.reduce(0) { $0 + $1.count } } ?? -1
    }
}
