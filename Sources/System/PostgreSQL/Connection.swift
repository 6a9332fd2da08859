internal import CPostgreSQL
internal import OpenSSL
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

    package func send(_ sql: String, values: [Value]) throws(PostgreSQLError) { try enqueue(sql, values) }

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

extension Connection {
    /// Executes a script of statements without parameters, such as a migration. Outside of a transaction the script is
    /// one. `timeout` bounds the time to each answer; the server's `statement_timeout` still applies.
    package func execute(script: String, timeout: Duration? = nil) throws(PostgreSQLError) {
        let limit = timeout ?? answerTimeout
        try outsidePipeline { () throws(PostgreSQLError) in _ = try handle.execute(script, within: limit) }
    }

    /// Runs `body` outside of libpq's pipeline mode, in which it refuses scripts and COPY.
    func outsidePipeline(_ body: () throws(PostgreSQLError) -> Void) throws(PostgreSQLError) {
        if !pipeline.requests.isEmpty { _ = try exchange() }
        guard isUsable else { throw .closed }
        guard unsafe PQexitPipelineMode(handle.pointer) == 1 else { throw giveUp(.unexpected, at: 0) }
        let mayCommit = !isInTransaction
        var failure: PostgreSQLError?
        do throws(PostgreSQLError) { try body() } catch { failure = error }
        if var failure, failure.isSessionEnd || !isUsable {
            if failure.isSessionEnd, failure.sqlState.isEmpty { failure.isOutcomeUnknown = mayCommit }
            throw giveUp(failure, at: 0)
        }
        isInTransaction = unsafe PQtransactionStatus(handle.pointer) != PQTRANS_IDLE
        enterPipeline()
        if let failure { throw failure }
    }
}

extension Connection {
    /// The server of the connection as libpq names it: a host with its port, or a socket.
    package var address: String {
        let host = unsafe PQhost(handle.pointer).map { unsafe String(cString: $0) } ?? ""
        let port = unsafe PQport(handle.pointer).map { unsafe String(cString: $0) } ?? ""
        if host.hasPrefix("/") { return "\(host)/.s.PGSQL.\(port)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    package var isEncrypted: Bool { unsafe PQsslInUse(handle.pointer) == 1 }

    /// When the server's certificate ends, in seconds since 1970; nil without encryption.
    package var certificateEnd: Int64? {
        guard let tls = unsafe PQsslStruct(handle.pointer, "OpenSSL") else { return nil }
        return unsafe Certificate(presentedOver: tls, host: "")?.notAfter
    }

    /// Whether no third party between this machine and the server can read or change anything: both are one machine, or
    /// the server has proven its name with its certificate.
    package var isProtected: Bool {
        guard let list = unsafe PQconninfo(handle.pointer) else { return false }
        defer { unsafe PQconninfoFree(list) }
        let parameters = unsafe ServerList.values(of: list)
        if ServerList.isOnThisMachine(parameters) { return true }
        return isEncrypted && parameters.contains { $0 == ("sslmode", "verify-full") }
    }

    /// Whether the server is still what it was when the connection was opened: a primary, of the same timeline.
    package func isStillPrimary() throws(PostgreSQLError) -> Bool {
        let known = timeline
        let query = "SELECT pg_is_in_recovery(), \(known == nil ? "NULL::bigint" : ServerSession.timeline)"
        let isPrimary = try first(query) { row in
            row.integer(0) == 0 && row.optionalInteger(1) == known
        }
        return isPrimary == true
    }
}
