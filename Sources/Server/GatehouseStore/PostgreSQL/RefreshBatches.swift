package import Gatehouse
import POSIX
import PostgreSQL
import SQL

/// The group commit of refreshes: those that have queued up are decided and written in one transaction of two round
/// trips, by the thread of one of their requests (`BatchQueue`).
///
///     1.  BEGIN; SELECT … WHERE id = ANY (…) ORDER BY id FOR UPDATE     locks and reads the sessions
///         each refresh is decided about its row
///     2.  UPDATE … FROM unnest(…); INSERT INTO audit_events …; COMMIT   writes them all
///
/// Two refreshes of one session are in two rounds, because the second is decided about what the first has written.
/// When a transaction fails, its refreshes run again, each alone, so that one refresh does not fail the others. When
/// the connection is lost, the refreshes in the queue fail as well: each would wait for the same timeout. A
/// transaction whose commit may have happened is run again by `PostgreSQLStore.attempt`: the decisions then see what
/// they have written, and return the same tokens.
final class RefreshBatches: Sendable {
    let connection: BatchConnection
    private let queue = BatchQueue<PendingRefresh>(gathering: .yield)
    private let onCommit: @Sendable (Commit) -> Void

    init(_ servers: Servers, onCommit: @escaping @Sendable (Commit) -> Void) {
        connection = BatchConnection(servers)
        self.onCommit = onCommit
    }

    /// The number of refreshes that wait for the current transaction.
    var waitingCount: Int { queue.waitingCount }

    func refresh(
        _ id: SessionID, now: Timestamp, until end: MonotonicTime,
        by decide: @escaping (Session, User) -> RefreshDecision
    ) throws -> DecidedRefresh? {
        let refresh = PendingRefresh(id, now: now, decide)
        try queue.perform(refresh, until: end) { run($0, until: end) }
        return try refresh.result.get()
    }

    /// - Parameter end: when the time of the leader's request is over. Its refresh is the first.
    private func run(_ batch: [PendingRefresh], until end: MonotonicTime) -> BatchQueue<PendingRefresh>.Next {
        var rest = batch
        while !rest.isEmpty {
            var seen: Set<SessionID> = []
            let round = rest.filter { seen.insert($0.id).inserted }
            rest = rest.count == round.count ? [] : rest.filter { refresh in !round.contains { $0 === refresh } }
            switch runTogether(round, until: end) {
            case .done: break
            case .unreachable(let failure):
                for refresh in rest { refresh.result = .failure(failure) }
                return .fail { $0.result = .failure(failure) }
            case .late(let failure, let unfinished):
                if unfinished.contains(where: { $0 === batch[0] }) { batch[0].result = .failure(failure) }
                return .leave((unfinished + rest).filter { $0 !== batch[0] })
            }
        }
        return .run
    }

    private enum Outcome {
        /// Each refresh has its result.
        case done
        /// The connection was lost, or none could be opened.
        case unreachable(PostgreSQLError)
        /// The leader's request has no time left. The next leader, whose request has more, runs the unfinished ones.
        case late(PostgreSQLError, unfinished: [PendingRefresh])
    }

    private func runTogether(_ batch: [PendingRefresh], until end: MonotonicTime) -> Outcome {
        let hasLittleTime = connection.hasLittleTime(until: end)
        guard let failure = commit(batch, until: end) else { return .done }
        if failure.isTimeout, hasLittleTime { return .late(failure, unfinished: batch) }
        guard !failure.isConnectionLost, batch.count > 1 else {
            for refresh in batch { refresh.result = .failure(failure) }
            return failure.isConnectionLost ? .unreachable(failure) : .done
        }
        // One of them has failed, and must not fail the others. After a timeout they do not wait for locks of rows again;
        // a lock of the table would delay them all.
        for (index, refresh) in batch.enumerated() {
            if end <= .now { return .late(failure, unfinished: Array(batch[index...])) }
            if let next = commit([refresh], until: end, waitsForRows: !failure.isTimeout) {
                refresh.result = .failure(next)
            }
        }
        return .done
    }

    private func commit(
        _ batch: [PendingRefresh], until end: MonotonicTime, waitsForRows: Bool = true
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

/// A queued refresh. `@unchecked Sendable` as its superclass.
final class PendingRefresh: QueuedWork, @unchecked Sendable {
    let id: SessionID
    let now: Timestamp
    let decide: (Session, User) -> RefreshDecision
    var result: Result<DecidedRefresh?, any Error> = .success(nil)

    init(_ id: SessionID, now: Timestamp, _ decide: @escaping (Session, User) -> RefreshDecision) {
        (self.id, self.now, self.decide) = (id, now, decide)
    }
}

extension Connection {
    /// Decides each refresh of a batch, and writes what was decided. False if there was nothing to write.
    fileprivate func apply(_ batch: [PendingRefresh], _ waitsForRows: Bool) throws -> Bool {
        let found = try lockedSessions(batch.map(\.id), waitsForRows)
        var advances: [(session: Session, now: Timestamp)] = []
        var hasWritten = false
        for pending in batch {
            guard let (session, user) = found[pending.id] else {
                pending.result = .success(nil)
                continue
            }
            let decision = pending.decide(session, user)
            pending.result = .success(DecidedRefresh(session: session, user: user, decision: decision))
            try write(decision, now: pending.now) { advances.append(($0, pending.now)) }
            hasWritten = hasWritten || decision.written != nil
        }
        try advance(advances)
        return hasWritten
    }
}

extension PostgreSQLStore {
    package func refresh(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? {
        do throws(StoreFailure) {
            let decided = try attempt(isRepeatable: true) { end in
                try refreshes.refresh(id, now: now, until: end, by: decide)
            }
            if decided?.decision.written != nil { lastOutcome.succeeded() }
            return decided
        } catch {
            lastOutcome.failed(error)
            throw .storageUnavailable(error)
        }
    }

    package func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        try writing { try $0.confirm(confirmations) }
    }
}
