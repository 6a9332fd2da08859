package import Gatehouse
import POSIX
package import PostgreSQL
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

/// One query each for a whole batch: the server may be far away.
extension Connection {
    package func owners(of identities: [Identity]) throws -> [UserID?] {
        guard !identities.isEmpty else { return [] }
        return try all(
            """
            SELECT coalesce(
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.provider_user_id = i.subject),
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.transfer_sub = i.transfer),
                (SELECT min(user_id) FROM auth_accounts a WHERE a.provider = i.provider AND a.former_sub = i.subject),
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.union_sub = i.common))
            FROM unnest(?1::text[], ?2::text[], ?3::text[], ?4::text[])
                WITH ORDINALITY AS i (provider, subject, transfer, common, place)
            ORDER BY i.place
            """,
            with: [
                .texts(identities.map(\.provider.rawValue)), .texts(identities.map(\.subject)),
                .texts(identities.map(\.transferSubject)), .texts(identities.map(\.unionSubject)),
            ]
        ) { row in row.optionalText(0).map(UserID.init) }
    }

    package func statuses(of ids: [UserID]) throws -> [UserID: UserStatus] {
        guard !ids.isEmpty else { return [:] }
        let found = try all(
            "SELECT id, status FROM users WHERE id = ANY (?1::text[])", with: [.texts(ids.map(\.text))]
        ) { row in (UserID(row.text(0)), try row.case(UserStatus.self, at: 1)) }
        return Dictionary(uniqueKeysWithValues: found)
    }
}

/// A connection for one batch at a time, opened when it is first needed and after each loss.
///
/// `@unchecked Sendable`: only the thread that has set `isInUse` uses it.
final class BatchConnection: @unchecked Sendable {
    private let servers: Servers
    private var opened: ServerConnection?
    private let isInUse = Monitor(false)

    init(_ servers: Servers) {
        self.servers = servers
    }

    func use<Result>(until end: MonotonicTime, _ body: (Connection) throws -> Result) throws -> Result {
        isInUse.wait(for: Self.take)
        defer { isInUse.changeForOne { $0 = false } }
        let current = try open(until: end)
        return try servers.use(current, until: end, body)
    }

    /// Whether the time of the request that leads a batch ends before a wait for a lock would time out. Then its
    /// time-out says nothing about other requests, which have more time.
    func hasLittleTime(until end: MonotonicTime) -> Bool { end < .now + servers.options.lockTimeout }

    /// Nil while another thread uses the connection.
    private static func take(_ isInUse: inout Bool) -> Void? {
        guard !isInUse else { return nil }
        isInUse = true
        return ()
    }

    private func open(until end: MonotonicTime? = nil) throws -> ServerConnection {
        let old = opened.flatMap { $0.connection.isInTransaction ? nil : $0 }
        opened = nil
        let current = try old.map { try servers.current($0, until: end) } ?? servers.connect(until: end)
        opened = current
        return current
    }
}

/// Has connections for requests, and lends one that is open and not in use.
protocol ConnectionLender: Sendable {
    /// Works with a connection; nil if there is none.
    ///
    /// - Parameter time: how long to wait for a connection that is in use. With nil the connection must be free and
    ///   current.
    func lend<Result>(orWaitFor time: Duration?, _ body: (ServerConnection) throws -> Result) throws -> Result?
}

extension BatchConnection: ConnectionLender {
    func lend<Result>(
        orWaitFor time: Duration?, _ body: (ServerConnection) throws -> Result
    ) throws -> Result? {
        guard isInUse.wait(atMost: time ?? .zero, for: Self.take) != nil else { return nil }
        defer { isInUse.changeForOne { $0 = false } }
        guard let opened, time != nil || servers.isCurrent(opened) else { return nil }
        return try body(open())
    }
}
