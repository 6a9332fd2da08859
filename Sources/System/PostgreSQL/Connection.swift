package import POSIX
package import SQL

/// A connection to a PostgreSQL server, with its prepared statements.
///
/// Statements are sent in pipelines: `send` only queues one, and everything queued is sent with the next one whose
/// result is read. Not Sendable: only one thread at a time may use a connection.
package final class Connection: SQLConnection {
    package let options: ConnectionOptions
    /// How long to wait for an answer of the server before the connection is given up. It begins anew when a part of the
    /// answer arrives.
    package var answerTimeout: Duration
    /// When every answer must have arrived; nil without a limit. A wait for a lock ends sooner, with an error that leaves the
    /// connection usable.
    package var deadline: MonotonicTime?
    let handle: Handle
    let session: ServerSession
    var pipeline = Pipeline()
    var parameters = ParameterBuffer()
    var statements = PreparedStatements()
    /// A transaction was begun, perhaps only in the queue.
    package internal(set) var isInTransaction = false
    var isGivenUp = false
    /// The position of the server in the list of the URL.
    package let serverIndex: Int
    /// A statement has changed rows. Its owner sets it back.
    package var hasChanged = false

    /// Tries the servers of the URL in their order. Throws the error of the last one.
    ///
    /// - Parameter first: the position of the server that is tried first. A server that does not answer costs
    ///   `connectTimeout` each time.
    /// - Parameter end: when to give up, at whatever server.
    package init(
        to url: String, _ options: ConnectionOptions = ConnectionOptions(), startingAt first: Int = 0,
        until end: MonotonicTime? = nil
    ) throws(PostgreSQLError) {
        self.options = options
        answerTimeout = options.answerTimeout
        (handle, session, serverIndex) = try Self.open(
            ServerList(url, options), options, startingAt: first, until: end)
        enterPipeline()
    }

    /// Why libpq does not accept the URL, without any part of it; nil if it does. That says nothing about whether a server
    /// answers there.
    package static func fault(ofURL url: String) -> String? {
        do throws(PostgreSQLError) {
            _ = try ServerList(url, ConnectionOptions())
            return nil
        } catch {
            return error.message
        }
    }

    /// How many servers the URL and the environment name; 0 if libpq does not accept the URL.
    package static func countServers(in url: String) -> Int {
        (try? ServerList(url, ConnectionOptions()))?.servers.count ?? 0
    }

    private static func open(
        _ list: ServerList, _ options: ConnectionOptions, startingAt first: Int, until end: MonotonicTime?
    ) throws(PostgreSQLError) -> (Handle, ServerSession, index: Int) {
        var failures: [PostgreSQLError] = []
        let servers = list.servers
        let order = servers.indices.map { ($0 + first) % servers.count }
        for index in order {
            let limit = MonotonicTime.now + (list.connectTimeout ?? options.connectTimeout)
            let deadline = min(limit, end ?? limit)
            do throws(PostgreSQLError) {
                let handle = try Handle.connect(servers[index], hiding: list.secrets, until: deadline)
                do throws(PostgreSQLError) {
                    let session = try ServerSession.begin(on: handle, options, until: deadline)
                    guard session.timeline ?? options.oldestTimeline >= options.oldestTimeline else { throw .replaced }
                    return (handle, session, index)
                } catch {
                    handle.disconnect()
                    throw error
                }
            } catch {
                failures.append(error)
            }
        }
        throw PostgreSQLError.of(servers: order.map { ServerList.name(of: servers[$0]) }, failures)
    }

    /// Between this program and the server is a pooler that gives each transaction another session.
    package var isPooled: Bool { session.isPooled }

    /// As in `server_version_num`: 150018 is version 15.18.
    package var serverVersion: Int { session.serverVersion }

    /// The timeline of a primary, which a failover increments. Nil on a standby, or if the user may not read it.
    package var timeline: Int64? { session.timeline }

    package var isStandby: Bool { session.isStandby }

    /// False after the connection was lost or given up. Then it must be closed.
    package var isUsable: Bool { !isGivenUp && handle.isConnected }
}

// MARK: - Statements

extension Connection {
    /// Executes a statement and returns the number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ values: Value...) throws(PostgreSQLError) -> Int {
        try enqueue(sql, values)
        return try exchange().changes
    }

    /// Queues a statement. It is sent with the next one whose result is read, or with the commit, and that one throws
    /// its error.
    package func send(_ sql: String, _ values: Value...) throws(PostgreSQLError) { try enqueue(sql, values) }

    /// The first row of a query; nil if there is none.
    package func first<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(PostgreSQLError) -> Result? {
        try enqueue(sql, values)
        return try exchange().first(read)
    }

    /// All rows of a query.
    package func all<Result>(
        _ sql: String, _ values: Value..., read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(PostgreSQLError) -> [Result] {
        try enqueue(sql, values)
        return try exchange().all(read)
    }
}

// MARK: - Statements with arrays

extension Connection {
    package func send(_ sql: String, with parameters: [Parameter]) throws(PostgreSQLError) {
        try enqueue(sql, parameters)
    }

    /// Queues a query in a transaction. Its rows are read with the next statement whose result is read, which throws
    /// its error: one round trip has the answers to several questions.
    package func query(
        _ sql: String, with parameters: [Parameter],
        each read: @escaping (borrowing any SQLRow & ~Copyable) throws -> Void
    ) throws(PostgreSQLError) {
        precondition(isInTransaction, "only in a transaction")
        try enqueue(sql, parameters, reading: read)
    }

    package func all<Result>(
        _ sql: String, with parameters: [Parameter], read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(PostgreSQLError) -> [Result] {
        try enqueue(sql, parameters)
        return try exchange().all(read)
    }
}

extension QueryResult {
    /// Converts the error here, so that no closure has to declare its type.
    func first<Result>(
        _ read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(PostgreSQLError) -> Result? {
        guard rows > 0 else { return nil }
        do { return try read(row(0)) } catch { throw PostgreSQLError(error) }
    }

    func all<Result>(
        _ read: (borrowing any SQLRow & ~Copyable) throws -> Result
    ) throws(PostgreSQLError) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(Int(rows))
        do { try forEach { results.append(try read($0)) } } catch { throw PostgreSQLError(error) }
        return results
    }

    func forEach(_ read: (borrowing any SQLRow & ~Copyable) throws -> Void) throws {
        for index in 0..<rows { try read(row(index)) }
    }
}
