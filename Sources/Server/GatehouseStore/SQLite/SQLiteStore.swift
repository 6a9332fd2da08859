import FileSystem
package import Gatehouse
import SQL
package import SQLite

/// The store in one SQLite file.
///
/// It uses a write-ahead log, so that readers never wait for the writer, and `synchronous=FULL`, so that an answered
/// write survives a power failure. Connections are closed in the order of the properties: the writer removes the log
/// when it is the last connection, and the lock is released at the end.
package final class SQLiteStore: Sendable {
    let readers: ReaderPool
    /// Only in a server, whose maintenance ends it regularly.
    let standing: StandingRead?
    let writer: CommitQueue
    private let lock: DatabaseLock
    /// A counter in shared memory, which operators' commands increment. Nil in a command if no server has run yet.
    let counter: SharedCounter?
    package let purgeCursor = PurgeCursor()
    private let lastOutcome = LastWrite()
    let path: String
    private let files: OpenFiles
    private let onFailure: @Sendable () -> Void

    /// Opens the file for a server. Creates it when it does not exist, and migrates its schema.
    ///
    /// - Parameters:
    ///   - mark: a file that says that there was a database; then none is created.
    ///   - onFailure: called for each failure, for metrics.
    ///   - onCommit: called for each transaction, for metrics.
    package convenience init(
        path: String, mark: String? = nil, onFailure: @escaping @Sendable () -> Void = {},
        onCommit: @escaping @Sendable (Commit) -> Void = { _ in }
    ) throws {
        let lock = try Self.lock(path, waiting: .seconds(10))
        // After a restore or a move that held the lock.
        if let missing = MissingDatabase(at: path, mark: mark) { throw missing }
        let connection = try Self.writingConnection(to: path)
        _ = try SQLiteMigrator(connection).migrate()
        try self.init(path: path, connection, lock, isServer: true, onFailure: onFailure, onCommit: onCommit)
    }

    /// Opens the file for an operator's command, while a server may be running. Creates nothing, and does not migrate
    /// an older schema.
    package convenience init(besideServerAt path: String) throws {
        // First, because opening for writing would create the file.
        try Self.requireFile(path)
        let lock: DatabaseLock
        do { lock = try Self.lock(path, waiting: .seconds(5)) } catch let fault as SchemaFault {
            throw StoreFailure(fault.description)
        }
        let connection = try Self.open(path)
        if let advice = try SQLiteMigrator(connection).advice() { throw StoreFailure(advice) }
        try Self.makeDurable(connection)
        // A large transaction of an import writes each page once, at its commit.
        try connection.execute(script: "PRAGMA cache_size = -200000;")
        try self.init(path: path, connection, lock, isServer: false, onFailure: {}, onCommit: { _ in })
    }

    static func requireFile(_ path: String) throws(StoreFailure) {
        guard !File.exists(path) else { return }
        throw StoreFailure(
            UnfinishedMove.exists(at: path) ? UnfinishedMove.advice(for: path) : "there is no database: " + path)
    }

    private init(
        path: String, _ connection: Connection, _ lock: DatabaseLock, isServer: Bool,
        onFailure: @escaping @Sendable () -> Void, onCommit: @escaping @Sendable (Commit) -> Void
    ) throws {
        (self.path, self.onFailure, self.lock) = (path, onFailure, lock)
        let standing = isServer ? StandingRead(try Self.readingConnection(to: path)) : nil
        self.standing = standing
        writer = CommitQueue(connection, beside: standing, onCommit: onCommit)
        readers = ReaderPool(beside: standing) { () throws(SQLiteError) in try Self.readingConnection(to: path) }
        files = OpenFiles(ofDatabaseAt: path)
        counter = try Self.revocationCounter(of: path, creating: isServer)
    }
}

// MARK: - Reading and writing

extension SQLiteStore: RelationalStore {
    package typealias Connection = SQLite.Connection

    package func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        // The reads of this step begin it again, so it is ended after them.
        defer { standing?.end() }
        return try removeExpired(limits)
    }

    package func read<Result>(_ body: (Connection) throws -> Result) throws(StoreFailure) -> Result {
        do { return try readers.read(body) } catch { throw failure(error) }
    }

    package func write<Result>(_ body: @escaping (Connection) throws -> Result) throws(StoreFailure) -> Result {
        do {
            var hasWritten = false
            let result = try writer.perform { connection in
                let before = connection.totalChanges
                defer { hasWritten = connection.totalChanges != before }
                return try body(connection)
            }
            // A transaction without changes also succeeds on a full disk, so it is not recorded.
            if hasWritten { lastOutcome.succeeded() }
            return result
        } catch {
            let failure = failure(error)
            lastOutcome.failed(failure)
            throw failure
        }
    }

    /// The one place where an error of SQLite becomes a failure of the store.
    private func failure(_ error: any Error) -> StoreFailure {
        onFailure()
        let error = SQLiteError(error)
        return StoreFailure(error.description, cause: error.cause)
    }
}

extension SQLiteStore: ProbedStore {
    package var lastWrite: WriteOutcome? { lastOutcome.outcome }

    package func probeFiles() throws(StoreFailure) { try files.requireInPlace() }
}

/// The queue runs one transaction at a time, so there is nothing to keep apart.
extension Connection: RecordConnection {
    package func lock(_ redemption: Redemption?, _ proof: ProofUse?) {}
    package func lockCodes() {}
    package func lockSupport() {}

    package func lock(_ identity: Identity) {}
    package func lock(_ identities: [Identity]) {}
    package func lock(_ user: UserID) {}
    package func lock(_ session: SessionID) {}
    package func lockSessions(of user: UserID) {}
    package func lockMaintenance() -> Bool { true }
    package static var skippingLockedRows: String { "" }
    package static var clock: String { "unixepoch() * 1000" }
    package static var lastEntry: String { "last_insert_rowid()" }

    package static var providersOfUser: String {
        """
        (SELECT group_concat(provider, ' ') FROM (
            SELECT provider FROM auth_accounts WHERE user_id = u.id ORDER BY created_at, id))
        """
    }
}

extension SQLiteStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        try reading { try $0.revocations(after: place) }
    }

    package var revocationCounter: UInt64 { counter?.value ?? 0 }

    package func incrementRevocationCounter() { counter?.increment() }
}

/// Reads of a user, refreshes and confirmations. PostgreSQL has its own implementations, which work in batches.
///
/// Not in an extension of `RelationalStore`: unspecialised, each call would look up the types of its results.
extension SQLiteStore {
    package func user(_ id: UserID) throws(Refusal) -> User? {
        try refusing { () throws(StoreFailure) in try read { try $0.user(id) } }
    }

    package func summaries(of ids: [UserID]) throws(Refusal) -> [UserSummary] {
        try refusing { () throws(StoreFailure) in
            try read { connection in try ids.compactMap { try connection.summary(of: $0) } }
        }
    }

    package func refresh(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? {
        try refusing { () throws(StoreFailure) in try write { try $0.refresh(id, now: now, by: decide) } }
    }

    package func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        try refusing { () throws(StoreFailure) in
            try write { connection in for confirmation in confirmations { try connection.confirm(confirmation) } }
        }
    }
}

extension SQLiteStore {
    package func lastSettledEntry() throws(Refusal) -> Int64 {
        try reading { try $0.number("coalesce(max(id), 0) FROM audit_events") }
    }
}

extension SQLiteStore {
    package func writesOfOthers() throws(Refusal) -> Int64? {
        try writing { try $0.first("PRAGMA data_version") { $0.integer(0) } }
    }
}

extension Connection {
    fileprivate func refresh(
        _ id: SessionID, now: Timestamp, by decide: (Session, User) -> RefreshDecision
    ) throws -> DecidedRefresh? {
        guard let (session, user) = try session(id) else { return nil }
        let decision = decide(session, user)
        try write(decision, now: now) { try advance($0, now: now) }
        return DecidedRefresh(session: session, user: user, decision: decision)
    }
}

private let ownerOfIdentity = """
    SELECT user_id FROM auth_accounts WHERE provider = ? AND provider_user_id = ?
    """

extension Connection {
    package func owners(of identities: [Identity]) throws -> [UserID?] {
        try identities.map { identity in
            let provider = Value.text(identity.provider.rawValue)
            if let owner = try user(ownerOfIdentity, provider, .text(identity.subject)) { return owner }
            if let subject = identity.transferSubject,
                let owner = try user(
                    "SELECT user_id FROM auth_accounts WHERE provider = ? AND transfer_sub = ?", provider,
                    .text(subject))
            {
                return owner
            }
            if let owner = try user(
                "SELECT user_id FROM auth_accounts WHERE provider = ? AND former_sub = ?", provider,
                .text(identity.subject))
            {
                return owner
            }
            guard let subject = identity.unionSubject else { return nil }
            return try user(
                "SELECT user_id FROM auth_accounts WHERE provider = ? AND union_sub = ?", provider, .text(subject))
        }
    }

    private func user(_ query: String, _ provider: Value, _ subject: Value) throws -> UserID? {
        try first(query, provider, subject) { UserID($0.text(0)) }
    }

    package func statuses(of ids: [UserID]) throws -> [UserID: UserStatus] {
        var statuses: [UserID: UserStatus] = [:]
        for id in ids {
            statuses[id] = try first("SELECT status FROM users WHERE id = ?", .text(id.text)) { row in
                try row.case(UserStatus.self, at: 0)
            }
        }
        return statuses
    }
}
