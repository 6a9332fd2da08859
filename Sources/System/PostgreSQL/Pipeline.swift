import SQL

/// The requests that were queued or sent since the last `sync` was answered, in their order.
///
/// The server answers them in the same order, so the request at an index says how to read the answer of that index. If
/// the connection is lost at an index, the list says whether the server may have committed. Two kinds of request
/// commit:
/// - `[execute BEGIN, execute, commit, sync]`: the COMMIT itself. The outcome is unknown if the connection is lost
///   before its answer, and known after it.
/// - `[execute, execute, sync]` outside of a transaction: the `sync`, for all statements together. The outcome is
///   unknown wherever the connection is lost.
struct Pipeline {
    enum Request {
        case prepare(PreparedStatement)
        /// `commits`: no transaction is open, so the statement is committed at the end of the pipeline.
        case execute(PreparedStatement, commits: Bool)
        /// `read` gets each row.
        case query(PreparedStatement, read: (borrowing any SQLRow & ~Copyable) throws -> Void)
        case commit(PreparedStatement)
        /// The end of the pipeline.
        case sync
    }

    private(set) var requests: [Request] = []

    mutating func append(_ request: Request) { requests.append(request) }

    mutating func removeAll() { requests.removeAll(keepingCapacity: true) }

    /// Whether the server may have committed something, if the answers from this index on are missing.
    func hasCommit(from index: Int) -> Bool {
        // Statements outside of a transaction are committed together, at the end of the pipeline.
        requests[min(index, requests.count)...].contains {
            if case .commit = $0 { true } else { false }
        }
            || requests.contains {
                if case .execute(_, commits: true) = $0 { true } else { false }
            }
    }

    /// Whether the answer to a COMMIT is among those before this index.
    func hasAnsweredCommit(before index: Int) -> Bool {
        requests.prefix(index).contains {
            if case .commit = $0 { true } else { false }
        }
    }

    /// Whether this request commits. True past the end, where an error belongs to no statement.
    func isCommit(at index: Int) -> Bool {
        guard index < requests.count else { return true }
        return switch requests[index] {
        case .commit, .sync: true
        case .prepare, .execute, .query: false
        }
    }
}
