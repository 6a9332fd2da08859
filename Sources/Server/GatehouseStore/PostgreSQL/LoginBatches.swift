package import Gatehouse
import POSIX
import PostgreSQL

/// The group commit of logins: those that have queued up are decided and written in one transaction of two round trips,
/// by the thread of one of their requests (`BatchQueue`).
///
///     1.  BEGIN; locks that are free; SELECT …      locks and reads what the logins are about
///         each login is decided about its facts
///     2.  INSERT …; UPDATE …; COMMIT                writes them all
///
/// A batch waits for none of the locks in `Locks.swift`, so one that another transaction holds delays no other login. These
/// logins run in transactions of their own, which wait for the locks in their order:
///
/// - a login whose locks are not free;
/// - each login of a batch that has failed;
/// - a login that needs more reads than most: with a union subject, with a limit for stale numbers, of a guest, of a user
///   at the limit of sessions, or with another address than the user's.
///
/// Two logins with a lock in common are in two batches, because the second is decided about what the first has written. A
/// batch whose commit may have happened fails, and is not run again.
final class LoginBatches: Sendable {
    private let pool: ConnectionPool
    private let lockTimeout: Duration
    // The server's memory for locks is limited, and a login has up to four.
    private let queue = BatchQueue<PendingLogin>(largest: 64)
    private let onCommit: @Sendable (Commit) -> Void

    init(_ pool: ConnectionPool, lockTimeout: Duration, onCommit: @escaping @Sendable (Commit) -> Void) {
        (self.pool, self.lockTimeout, self.onCommit) = (pool, lockTimeout, onCommit)
    }

    /// The number of logins that wait for the current transaction.
    var waitingCount: Int { queue.waitingCount }

    /// Nil if the login has to run in a transaction of its own.
    func record(
        _ login: Login, limit: Int, until end: MonotonicTime, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws -> LoginDecision? {
        // A second user, the last use, a passkey, or a guest would have to be read.
        guard login.identity.unionSubject == nil, login.staleAfter == nil, login.passkey == nil, login.guest == nil
        else { return nil }
        let pending = PendingLogin(login, limit: limit, decide)
        try queue.perform(pending, until: end) { run($0, until: end) }
        return try pending.result.get()
    }

    /// - Parameter end: when the time of the leader's request is over. Its login is the first.
    private func run(_ batch: [PendingLogin], until end: MonotonicTime) -> BatchQueue<PendingLogin>.Next {
        let (round, rest) = Self.disjoint(batch)
        let watch = Stopwatch()
        var hasLittleTime = end < .now + lockTimeout
        do {
            let postponed = try pool.use(until: end) { connection in
                // The wait for a connection has taken some of it.
                hasLittleTime = end < .now + lockTimeout
                return try connection.transaction { try $0.record(round) }
            }
            onCommit(Commit(writes: round.count, nanoseconds: watch.nanoseconds, hasFailed: false))
            return .leave(postponed + rest)
        } catch {
            onCommit(Commit(writes: round.count, nanoseconds: watch.nanoseconds, hasFailed: true))
            let failure = PostgreSQLError(error)
            let isTooLate = failure.isTimeout || error is PoolExhausted
            if isTooLate, hasLittleTime, !failure.isOutcomeUnknown {
                batch[0].result = .failure(error)
                return .leave(Array(batch.dropFirst()))
            }
            let isOver = failure.isConnectionLost || error is PoolExhausted
            for login in round { login.result = isOver ? .failure(error) : .success(nil) }
            // The others have not run: they may run again, after an outcome that is unknown too.
            guard isOver, !failure.isOutcomeUnknown else { return .leave(rest) }
            for login in rest { login.result = .failure(error) }
            return .fail { $0.result = .failure(error) }
        }
    }

    /// The logins that have no lock in common, and the others.
    private static func disjoint(_ batch: [PendingLogin]) -> (round: [PendingLogin], rest: [PendingLogin]) {
        var taken: Set<LoginLock> = []
        var (round, rest): ([PendingLogin], [PendingLogin]) = ([], [])
        for login in batch {
            if taken.isDisjoint(with: login.locks) { round.append(login) } else { rest.append(login) }
            taken.formUnion(login.locks)
        }
        return (round, rest)
    }
}

/// A queued login. `@unchecked Sendable` as its superclass.
final class PendingLogin: QueuedWork, @unchecked Sendable {
    let login: Login
    let limit: Int
    let decide: (IdentityFacts) -> LoginDecision
    let locks: [LoginLock]
    let identityHashes: [[UInt8]]
    /// Nil if it has to run in a transaction of its own.
    var result: Result<LoginDecision?, any Error> = .success(nil)

    init(_ login: Login, limit: Int, _ decide: @escaping (IdentityFacts) -> LoginDecision) {
        (self.login, self.limit, self.decide) = (login, limit, decide)
        locks = LoginLock.all(of: login)
        identityHashes = login.identityHashes
    }
}

extension Connection {
    /// Decides each login, and writes what was decided. Returns those that must wait for another one of the batch.
    fileprivate func record(_ batch: [PendingLogin]) throws -> [PendingLogin] {
        // Otherwise the server plans each statement anew for the arrays of this batch, which takes longer than to execute it.
        try send("SET LOCAL plan_cache_mode = force_generic_plan")
        let found = try lockedFacts(of: batch)
        var (accepted, postponed): ([RecordedLogin], [PendingLogin]) = ([], [])
        var new: [(pending: PendingLogin, login: AcceptedLogin, address: String)] = []
        var users: Set<UserID> = []
        for (pending, found) in zip(batch, found) {
            pending.result = .success(nil)
            guard let found, !pending.mustRunAlone(found) else { continue }
            if let user = found.facts.known?.user.id, !users.insert(user).inserted {
                // By two of its identities.
                postponed.append(pending)
                continue
            }
            let decision = pending.decide(found.facts)
            pending.result = .success(decision)
            switch decision {
            case .accept(let login):
                accepted.append((login, pending.login, found.facts.known))
                if let address = login.newAddress(by: pending.login) { new.append((pending, login, address)) }
            case .refuse(.barred(let user)):
                try bar(pending.identityHashes, of: user, now: pending.login.moment)
            case .refuse: break
            }
        }
        try write(accepted)
        try askForKnownAddresses(of: new.map { ($0.login.user.id, $0.address) }) { [new] place in
            var login = new[place].login
            login.isKnownAddress = true
            new[place].pending.result = .success(.accept(login))
        }
        return postponed
    }
}

extension PendingLogin {
    /// Because it may end sessions, is about another account of the user, or may be by a device of which the owner is told.
    fileprivate func mustRunAlone(_ found: FoundLogin) -> Bool {
        guard let user = found.facts.known?.user else { return false }
        return found.sessions >= limit || found.mayBeNewDevice || login.mayChangeAddress(of: user)
    }
}

extension PostgreSQLStore {
    package func record(
        _ login: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) {
        guard let decision = try recordInBatch(login, limit: limit, by: decide) else {
            return try writing { try $0.record(login, limit: limit, by: decide) }
        }
        return (decision, [])
    }

    private func recordInBatch(
        _ login: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> LoginDecision? {
        do throws(StoreFailure) {
            let decision = try attempt(isRepeatable: false) { end in
                try logins.record(login, limit: limit, until: end, by: decide)
            }
            if case .accept = decision { lastOutcome.succeeded() }
            return decision
        } catch {
            lastOutcome.failed(error)
            throw .storageUnavailable(error)
        }
    }
}
