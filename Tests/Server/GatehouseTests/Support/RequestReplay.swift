import Gatehouse

/// The recorded progress of a request: its time, its random seed and the replies of the store so far.
struct RequestReplay {
    /// The reply of the store to a query.
    enum Reply {
        case session(Session?)
        case done(Bool)
        case failure
    }

    let startedAt: Timestamp
    let seed: UInt64
    private(set) var replies: [Reply] = []
    /// The number of queries in the current run.
    private var queryCount = 0
    private(set) var isSuspended = false

    init(startedAt: Timestamp, seed: UInt64) {
        self.startedAt = startedAt
        self.seed = seed
    }

    var hadStoreFailure: Bool {
        replies.contains { reply in if case .failure = reply { true } else { false } }
    }

    /// The session that an earlier run found at this query.
    var recordedSession: Session? {
        guard queryCount < replies.count, case .session(let found) = replies[queryCount] else { return nil }
        return found
    }

    mutating func begin() {
        (queryCount, isSuspended) = (0, false)
    }

    /// The recorded reply, or nil if the query is new: it is executed, and the run ends with it.
    mutating func reply(to query: () -> Reply) -> Reply? {
        defer { queryCount += 1 }
        if queryCount < replies.count { return replies[queryCount] }
        if !isSuspended { replies.append(query()) }
        isSuspended = true
        return nil
    }
}
