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

    func user(_ id: UserID, until end: MonotonicTime) throws -> User? {
        let read = PendingRead(id)
        try queue.perform(read, until: end) { run($0, until: end) }
        return try read.result.get()
    }

    private func run(_ batch: [PendingRead], until end: MonotonicTime) -> BatchQueue<PendingRead>.Next {
        let hasLittleTime = connection.hasLittleTime(until: end)
        do {
            let users = try connection.use(until: end) { try $0.users(Array(Set(batch.map(\.id.text)))) }
            for read in batch { read.result = .success(users[read.id]) }
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
    let id: UserID
    var result: Result<User?, any Error> = .success(nil)

    init(_ id: UserID) {
        self.id = id
    }
}

extension PostgreSQLStore {
    package func user(_ id: UserID) throws(Refusal) -> User? {
        try refusing { () throws(StoreFailure) in
            try attempt(isRepeatable: true) { end in try users.user(id, until: end) }
        }
    }
}
