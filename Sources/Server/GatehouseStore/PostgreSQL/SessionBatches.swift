package import Gatehouse
import POSIX
import PostgreSQL
import SQL

/// The group commit of session changes: the changes that have queued up are decided and written in one transaction of two
/// round trips. The first locks and reads the sessions, the second writes them and commits.
///
/// A transaction whose commit may have happened is run again: the decisions then see what they have written before, and
/// return the same tokens.
final class SessionBatches: Sendable {
    let connection: BatchConnection
    private let queue = BatchQueue<PendingChange>(gathering: .yield)
    private let onCommit: @Sendable (Commit) -> Void

    init(_ servers: Servers, onCommit: @escaping @Sendable (Commit) -> Void) {
        connection = BatchConnection(servers)
        self.onCommit = onCommit
    }

    /// The number of changes that wait for the current transaction.
    var waitingCount: Int { queue.waitingCount }

    func change(
        _ id: SessionID, now: Timestamp, until end: MonotonicTime,
        by decide: @escaping (Session, User) -> SessionChange?
    ) throws -> DecidedChange? {
        let change = PendingChange(id, now: now, decide)
        try queue.perform(change, until: end) { run($0, until: end) }
        return try change.result.get()
    }

    /// - Parameter end: of the time of the leader's request, whose change is the first.
    private func run(_ batch: [PendingChange], until end: MonotonicTime) -> BatchQueue<PendingChange>.Next {
        // Two changes of one session cannot be in one transaction: the second depends on the first.
        var rest = batch
        while !rest.isEmpty {
            var seen: Set<SessionID> = []
            let round = rest.filter { seen.insert($0.id).inserted }
            rest = rest.count == round.count ? [] : rest.filter { change in !round.contains { $0 === change } }
            switch runTogether(round, until: end) {
            case .done: break
            case .unreachable(let failure):
                for change in rest { change.result = .failure(failure) }
                return .fail { $0.result = .failure(failure) }
            case .late(let failure, let unfinished):
                batch[0].result = unfinished.contains { $0 === batch[0] } ? .failure(failure) : batch[0].result
                return .leave((unfinished + rest).filter { $0 !== batch[0] })
            }
        }
        return .run
    }

    private enum Outcome {
        /// Each change has its result.
        case done
        case unreachable(PostgreSQLError)
        case late(PostgreSQLError, unfinished: [PendingChange])
    }

    private func runTogether(_ batch: [PendingChange], until end: MonotonicTime) -> Outcome {
        let hasLittleTime = connection.hasLittleTime(until: end)
        guard let failure = commit(batch, until: end) else { return .done }
        if failure.isTimeout, hasLittleTime { return .late(failure, unfinished: batch) }
        guard !failure.isConnectionLost, batch.count > 1 else {
            for change in batch { change.result = .failure(failure) }
            return failure.isConnectionLost ? .unreachable(failure) : .done
        }
        // One of them has failed, and must not take the others with it. If they wait for locks again, it is for that of the
        // table, which all need.
        for (index, change) in batch.enumerated() {
            if end <= .now { return .late(failure, unfinished: Array(batch[index...])) }
            if let next = commit([change], until: end, waitsForRows: !failure.isTimeout) {
                change.result = .failure(next)
            }
        }
        return .done
    }

    private func commit(
        _ batch: [PendingChange], until end: MonotonicTime, waitsForRows: Bool = true
    ) -> PostgreSQLError? {
        let watch = Stopwatch()
        do {
            if try connection.use(until: end, { try $0.transaction { try $0.apply(batch, waitsForRows) } }) {
                onCommit(Commit(writes: batch.count, nanoseconds: watch.nanoseconds, hasFailed: false))
            }
            return nil
        } catch {
            onCommit(Commit(writes: batch.count, nanoseconds: watch.nanoseconds, hasFailed: true))
            return PostgreSQLError(error)
        }
    }
}

/// What became of a session: its state before the change, its user, and the change if it was applied.
typealias DecidedChange = (session: Session, user: User, change: SessionChange?)

/// A queued change. `@unchecked Sendable` as its superclass.
final class PendingChange: QueuedWork, @unchecked Sendable {
    let id: SessionID
    let now: Timestamp
    let decide: (Session, User) -> SessionChange?
    var result: Result<DecidedChange?, any Error> = .success(nil)

    init(_ id: SessionID, now: Timestamp, _ decide: @escaping (Session, User) -> SessionChange?) {
        self.id = id
        self.now = now
        self.decide = decide
    }
}

// MARK: - Statements

// OFFSET 0 keeps the planner from joining with all users: it expects more sessions than a batch has.
private let sessionsByID = """
    SELECT t.id, u.id, \(sessionColumns), \(userColumns)
    FROM refresh_tokens t CROSS JOIN LATERAL (SELECT * FROM users WHERE id = t.user_id OFFSET 0) u
    WHERE t.id = ANY (?1::text[]) ORDER BY t.id FOR UPDATE OF t
    """

private let advanceSessions = """
    UPDATE refresh_tokens t SET generation = n.generation, previous_hash = t.token_hash, token_hash = n.hash,
        token_random = n.random, rotated_at = n.issued_at, expires_at = n.expires_at, updated_at = n.updated_at,
        last_user_agent = n.user_agent, last_address = n.address, token_seed = n.seed,
        burst_generation = n.burst_generation, burst_at = n.burst_at, \(resetByAdvance)
    FROM unnest(?1::text[], ?2::bigint[], ?3::bytea[], ?4::bytea[], ?5::bigint[], ?6::bigint[], ?7::bigint[], ?8::text[],
        ?9::text[], ?10::bytea[], ?11::bigint[], ?12::bigint[])
        AS n (id, generation, hash, random, issued_at, expires_at, updated_at, user_agent, address, seed, burst_generation,
            burst_at)
    WHERE t.id = n.id
    """

extension Connection {
    /// Decides each change of a batch, and writes what was decided. False if there was nothing to write.
    fileprivate func apply(_ batch: [PendingChange], _ waitsForRows: Bool) throws -> Bool {
        let found = try lockedSessions(batch.map(\.id), waitsForRows)
        var advances: [Advance] = []
        var hasWritten = false
        for pending in batch {
            guard let (session, user) = found[pending.id] else {
                pending.result = .success(nil)
                continue
            }
            let decided = pending.decide(session, user)
            let change = decided.flatMap { $0.applies(to: session) ? $0 : nil }
            pending.result = .success((session, user, change))
            hasWritten = hasWritten || change != nil
            switch change {
            case .advance(let token, let chain, let device):
                advances.append((session.id, token, chain, device, pending.now))
            case .countRepeat(_, let device, let isElsewhere):
                try countRepeat(session.id, from: device, isElsewhere: isElsewhere, now: pending.now)
            case .end(let reason, let event): try end(session.id, for: reason, recording: event)
            case nil: break
            }
        }
        if !advances.isEmpty { try advance(advances) }
        return hasWritten
    }

    private func lockedSessions(
        _ ids: [SessionID], _ waits: Bool
    ) throws -> [SessionID: (session: Session, user: User)] {
        let rows = try all(waits ? sessionsByID : sessionsByID + " NOWAIT", with: [.texts(ids.map(\.text))]) { row in
            var columns = ColumnCounter()
            let id = SessionID(row.text(columns.next()))
            let user = UserID(row.text(columns.next()))
            return (
                id, (session: try Session(id, of: user, row: row, &columns), user: try User(user, row: row, &columns))
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private typealias Advance = (
        id: SessionID, token: SessionToken, chain: TokenChain, device: Device, now: Timestamp
    )

    private func advance(_ rows: [Advance]) throws {
        try send(
            advanceSessions,
            with: [
                .texts(rows.map(\.id.text)), .integers(rows.map(\.token.generation)), .blobs(rows.map(\.token.hash)),
                .blobs(rows.map(\.token.random)), .integers(rows.map(\.token.issuedAt.milliseconds)),
                .integers(rows.map(\.token.expiresAt.milliseconds)), .integers(rows.map(\.now.milliseconds)),
                .texts(rows.map(\.device.userAgent)), .texts(rows.map(\.device.address)),
                .blobs(rows.map(\.chain.seed)), .integers(rows.map(\.chain.burst?.generation)),
                .integers(rows.map(\.chain.burst?.supersededAt.milliseconds)),
            ])
    }
}

extension PostgreSQLStore {
    package func change(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(Refusal) -> (session: Session, user: User, change: SessionChange?)? {
        do throws(StoreFailure) {
            let decided = try attempt(isRepeatable: true) { end in
                try changes.change(id, now: now, until: end, by: decide)
            }
            if decided?.change != nil { lastOutcome.succeeded() }
            return decided
        } catch {
            lastOutcome.failed(error)
            throw .storageUnavailable(error)
        }
    }

    package func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        try writing { connection in
            let sorted = confirmations.sorted { $0.sessionID.text < $1.sessionID.text }
            let ids = Parameter.texts(sorted.map(\.sessionID.text))
            try connection.send(
                "SELECT 1 FROM refresh_tokens WHERE id = ANY (?1::text[]) ORDER BY id FOR UPDATE", with: [ids])
            try connection.send(
                """
                UPDATE refresh_tokens t SET confirmed_at = n.moment, updated_at = n.moment
                FROM unnest(?1::text[], ?2::bigint[], ?3::bigint[]) AS n (id, generation, moment)
                WHERE t.id = n.id AND t.generation = n.generation AND t.confirmed_at IS NULL AND t.revoked_at IS NULL
                """,
                with: [
                    ids, .integers(sorted.map(\.generation)), .integers(sorted.map(\.moment.milliseconds)),
                ])
        }
    }
}
