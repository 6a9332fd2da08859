package import Gatehouse
import POSIX
package import PostgreSQL
import Synchronization

/// The store in a PostgreSQL database, which any number of nodes share.
///
/// Refreshes, logins and reads of users are gathered in batches, since they are most of the work. Everything else runs in
/// transactions of its own, on the connections of a pool.
package final class PostgreSQLStore: Sendable {
    let servers: Servers
    let pool: ConnectionPool
    let refreshes: RefreshBatches
    let logins: LoginBatches
    let users: UserBatches
    let revocations: RevocationReader
    let settings: PostgreSQLSettings
    package let purgeCursor = PurgeCursor()
    let lastOutcome = LastWrite()
    private let waiters: ConcurrencyLimit
    private let onFailure: @Sendable () -> Void

    /// Connects, and migrates the schema.
    ///
    /// - Parameters:
    ///   - onFailure: called for each failure, for metrics.
    ///   - onCommit: called for each batch of refreshes or logins, for metrics.
    package convenience init(
        _ settings: PostgreSQLSettings, onFailure: @escaping @Sendable () -> Void = {},
        onCommit: @escaping @Sendable (Commit) -> Void = { _ in }
    ) throws {
        do { try PostgreSQLMigrator(settings).migrate() } catch let error as PostgreSQLError {
            throw StoreFailure(error.description, cause: error.storeCause)
        }
        self.init(connectingTo: settings, onFailure: onFailure, onCommit: onCommit)
    }

    /// Connects for an operator's command. Does not migrate an older schema.
    package convenience init(besideServersOf settings: PostgreSQLSettings) throws {
        if let advice = try PostgreSQLMigrator(settings).advice() { throw StoreFailure(advice) }
        self.init(connectingTo: settings, onFailure: {}, onCommit: { _ in })
    }

    private init(
        connectingTo settings: PostgreSQLSettings, onFailure: @escaping @Sendable () -> Void,
        onCommit: @escaping @Sendable (Commit) -> Void
    ) {
        (self.settings, self.onFailure) = (settings, onFailure)
        servers = Servers(url: settings.url, settings.options)
        pool = ConnectionPool(servers, limit: settings.connections, timeout: settings.timeout / 2)
        refreshes = RefreshBatches(servers, onCommit: onCommit)
        logins = LoginBatches(pool, lockTimeout: settings.options.lockTimeout, onCommit: onCommit)
        users = UserBatches(servers)
        revocations = RevocationReader(servers, borrowingFrom: [pool, users.connection, refreshes.connection])
        waiters = ConcurrencyLimit(settings.waiters)
    }
}

/// How a PostgreSQL database is reached.
package struct PostgreSQLSettings: Sendable {
    /// As libpq reads it: several hosts, TLS, and everything that its environment variables and files add.
    package let url: String
    /// The limit of the pool.
    package let connections: Int
    /// How long a request may wait for the database.
    package let timeout: Duration
    /// How many requests may wait for a database that does not answer.
    package let waiters: Int

    package static let standardConnections = 8

    package init(
        url: String, connections: Int = standardConnections, timeout: Duration = .seconds(5), waiters: Int = 48
    ) {
        (self.url, self.connections, self.timeout, self.waiters) = (url, connections, timeout, waiters)
    }

    package static func hasScheme(_ text: String) -> Bool {
        ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
    }

    /// Whether a URL that libpq can read holds a password, in the place of the user or as a parameter.
    package static func hasPassword(_ url: String) -> Bool {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let user = rest.prefix { $0 != "/" && $0 != "?" }
        let parameters = rest.drop { $0 != "?" }.split { $0 == "?" || $0 == "&" }
        return user.contains("@") && user.prefix { $0 != "@" }.contains(":")
            || parameters.contains { $0.hasPrefix("password=") || $0.hasPrefix("sslpassword=") }
    }

    /// Why libpq cannot read a URL, without any part of the URL; nil if it can.
    package static func fault(ofURL url: String) -> String? { Connection.fault(ofURL: url) }

    /// A migration may rewrite or index a large table.
    var migrationOptions: ConnectionOptions { ConnectionOptions(statementTimeout: .seconds(3600)) }

    var options: ConnectionOptions {
        // The server must not be the one that gives up: it would end the wait of a commit for its standby, and report the
        // commit as done.
        ConnectionOptions(
            connectTimeout: min(.seconds(1), timeout / 4), statementTimeout: timeout * 2, lockTimeout: timeout / 2,
            answerTimeout: timeout * 4 / 5)
    }
}

// MARK: - Reading and writing

extension PostgreSQLStore: RelationalStore {
    package func read<Result>(_ body: (Connection) throws -> Result) throws(StoreFailure) -> Result {
        try attempt(isRepeatable: true) { end in try pool.use(until: end, body) }
    }

    package func write<Result>(_ body: @escaping (Connection) throws -> Result) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            let (result, hasWritten) = try attempt(isRepeatable: false) { end in
                try pool.use(until: end) { connection in
                    connection.hasChanged = false
                    return (try connection.transaction(body), connection.hasChanged)
                }
            }
            // A transaction without changes also succeeds on a full disk, so it is not recorded.
            if hasWritten { lastOutcome.succeeded() }
            return result
        } catch {
            lastOutcome.failed(error)
            throw error
        }
    }

    /// Runs work, again after a conflict with another transaction, and on another connection after the loss of one.
    ///
    /// - Parameter isRepeatable: whether the work may also be run again when it may have been committed.
    /// - Parameter work: gets the time at which it has to end, which counts from the arrival of the request.
    func attempt<Result>(
        isRepeatable: Bool, _ work: (_ end: MonotonicTime) throws -> Result
    ) throws(StoreFailure) -> Result {
        let end = (RequestArrival.time ?? .now) + settings.timeout
        do {
            guard .now < end else { throw TimeIsOver() }
            return try waiters.run(until: end) {
                var count = 0
                while true {
                    do { return try work(end) } catch let error as PostgreSQLError {
                        count += 1
                        guard error.isWorthRepeating, isRepeatable || !error.isOutcomeUnknown,
                            count < (error.isRetryable ? 10 : 4), .now < end
                        else { throw error }
                        // Two transactions that lost against each other must not meet again, and a new connection may be
                        // open soon.
                        Thread.pause(
                            for: .milliseconds(error.isRetryable ? Int.random(in: 0..<5 * count) : 20 * (count - 1)))
                    }
                }
            }
        } catch {
            throw failure(error)
        }
    }

    /// The one place where an error of PostgreSQL becomes a failure of the store.
    func failure(_ error: any Error) -> StoreFailure {
        onFailure()
        switch error {
        case let error as StoreFailure: return error
        case is PoolExhausted:
            return StoreFailure("all connections of the pool were in use for too long", cause: .busy)
        case is TimeIsOver:
            return StoreFailure("the request has waited for the database for too long", cause: .busy)
        default:
            let error = PostgreSQLError(error)
            return StoreFailure(error.description, cause: error.storeCause)
        }
    }
}

extension PostgreSQLStore {
    package func lastSettledEntry() throws(Refusal) -> Int64 {
        let last = try reading { try $0.number("coalesce(max(id), 0) FROM audit_events") }
        // A transaction gets its id at the latest some microseconds after the number of its entry.
        Thread.pause(for: .milliseconds(100))
        let next = try reading { try $0.number("pg_snapshot_xmax(pg_current_snapshot())::text::bigint") }
        for _ in 0..<100 {
            let oldest = try reading { try $0.number("pg_snapshot_xmin(pg_current_snapshot())::text::bigint") }
            if oldest >= next { return last }
            Thread.pause(for: .milliseconds(100))
        }
        throw .storageUnavailable(
            StoreFailure("a transaction in this PostgreSQL has not ended for ten seconds: try again", cause: .busy))
    }
}

extension PostgreSQLStore: ServerStore {
    package func writesOfOthers() -> Int64? { nil }

    package var lastWrite: WriteOutcome? { lastOutcome.outcome }

    package func renewConnections() {
        revocations.reopen()
        servers.findNewerPrimary()
    }

    package func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool { try removeExpired(limits) }
}

extension Connection {
    /// Runs a transaction. A failure rolls it back.
    func transaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        do {
            try begin()
            let result = try body(self)
            try commit()
            return result
        } catch {
            if isUsable, isInTransaction { try? rollback() }
            throw error
        }
    }
}

extension PostgreSQLError {
    /// Another attempt may succeed soon.
    var isWorthRepeating: Bool { isRetryable || isConnectionLost && !isTimeout }

    var storeCause: StoreFailure.Cause {
        if isFull { return .full }
        if isDamage { return .damaged }
        if isDenied { return .denied }
        if isConnectionLost { return .unreachable }
        return isTimeout ? .busy : .other
    }
}
