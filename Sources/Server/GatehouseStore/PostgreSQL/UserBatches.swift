package import Gatehouse
import POSIX
import PostgreSQL
import SQL

/// Reads the users that concurrent requests ask for by one query.
final class UserBatches: Sendable {
    let connection: BatchConnection
    private let queue = BatchQueue<PendingRead>(gathering: .pause(.milliseconds(1)))

    init(_ servers: Servers) {
        connection = BatchConnection(servers)
    }

    /// In any order. Unknown ids are left out.
    func summaries(of ids: [UserID], until end: MonotonicTime) throws -> [UserSummary] {
        let read = PendingRead(ids)
        try queue.perform(read, until: end) { run($0, until: end) }
        return try read.result.get()
    }

    private func run(_ batch: [PendingRead], until end: MonotonicTime) -> BatchQueue<PendingRead>.Next {
        let hasLittleTime = connection.hasLittleTime(until: end)
        do {
            let ids = Set(batch.flatMap(\.ids))
            let users = try connection.use(until: end) { try $0.summaries(of: Array(ids)) }
            for read in batch { read.result = .success(read.ids.compactMap { users[$0] }) }
            return .run
        } catch {
            if hasLittleTime, PostgreSQLError(error).isTimeout {
                batch[0].result = .failure(error)
                return .leave(Array(batch.dropFirst()))
            }
            for read in batch { read.result = .failure(error) }
            return .fail { $0.result = .failure(error) }
        }
    }
}

/// A queued read. `@unchecked Sendable` as its superclass.
private final class PendingRead: QueuedWork, @unchecked Sendable {
    let ids: [UserID]
    var result: Result<[UserSummary], any Error> = .success([])

    init(_ ids: [UserID]) {
        self.ids = ids
    }
}

extension PostgreSQLStore {
    package func user(_ id: UserID) throws(Refusal) -> User? { try summaries(of: [id]).first?.user }

    package func summaries(of ids: [UserID]) throws(Refusal) -> [UserSummary] {
        try refusing { () throws(StoreFailure) in
            try attempt(isRepeatable: true) { end in try users.summaries(of: ids, until: end) }
        }
    }
}
