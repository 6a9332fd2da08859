/// The requests whose answers are outstanding, in their order.
struct Pipeline {
    enum Request {
        case prepare(PreparedStatement)
        /// The flag tells that no transaction is open, so that the statement is committed at the end of the pipeline.
        case execute(PreparedStatement, commits: Bool)
        case commit(PreparedStatement)
        /// The end of the pipeline.
        case sync
    }

    private(set) var requests: [Request] = []

    mutating func append(_ request: Request) { requests.append(request) }

    mutating func removeAll() { requests.removeAll(keepingCapacity: true) }

    /// Whether a commit was outstanding when the request at the index had no answer.
    func hasCommit(from index: Int) -> Bool {
        // Statements outside of a transaction are committed together, at the end of the pipeline.
        requests[min(index, requests.count)...].contains {
            if case .commit = $0 { true } else { false }
        }
            || requests.contains {
                if case .execute(_, commits: true) = $0 { true } else { false }
            }
    }

    /// Whether the answer to the request is that to a commit.
    func isCommit(at index: Int) -> Bool {
        guard index < requests.count else { return true }
        return switch requests[index] {
        case .commit, .sync: true
        case .prepare, .execute: false
        }
    }
}
