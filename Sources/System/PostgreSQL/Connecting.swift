internal import CPostgreSQL
internal import POSIX

extension Handle {
    /// Connects to one server. Only the resolution of its name by the C library may block beyond the deadline.
    static func connect(
        _ server: ServerList.Parameters, hiding secrets: [String], until deadline: MonotonicTime
    ) throws(PostgreSQLError) -> Handle {
        let keywords = KeywordArrays(server)
        guard let pointer = unsafe PQconnectStartParams(keywords.keywords, keywords.values, 0) else {
            throw PostgreSQLError(.connection, "no memory")
        }
        let handle = unsafe Handle(takingOwnership: pointer)
        // A failed connection has no error fields but only a message, which by default contains no SQLSTATE.
        unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        do throws(PostgreSQLError) {
            try handle.finishConnecting(until: deadline)
        } catch {
            handle.disconnect()
            throw error
        }
        guard handle.isConnected else { throw ConnectFailure.error(handle.errorMessage, hiding: secrets) }
        guard unsafe PQsetnonblocking(pointer, 1) == 0 else { throw .lost }
        return handle
    }

    /// Returns when libpq has succeeded or failed.
    private func finishConnecting(until deadline: MonotonicTime) throws(PostgreSQLError) {
        guard unsafe PQstatus(pointer) != CONNECTION_BAD else { return }
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_WRITING || state == PGRES_POLLING_READING {
            let writing = state == PGRES_POLLING_WRITING
            guard wait(readable: !writing, writable: writing, until: deadline) else { throw .connectTimeout }
            state = unsafe PQconnectPoll(pointer)
        }
    }

    private var errorMessage: String { unsafe String(cString: PQerrorMessage(pointer)) }
}

/// Converts libpq's message about a failed connection to an error. The message may quote the URL.
enum ConnectFailure {
    static func error(_ text: String, hiding secrets: [String]) -> PostgreSQLError {
        let error = parse(text)
        let isSafe = !secrets.contains { error.message.contains($0) }
        return isSafe ? error : PostgreSQLError(.connection, sqlState: error.sqlState, "the connection failed")
    }

    /// libpq writes `connection to server at …, port 5432 failed: FATAL: 28P01: password authentication failed …`, and
    /// `… failed: Connection refused`. The last attempt counts: the first one may have been an attempt with TLS.
    private static func parse(_ text: String) -> PostgreSQLError {
        let lines = text.split(separator: "\n")
        guard let line = lines.last(where: { $0.contains(" failed: ") }), let start = end(of: " failed: ", in: line)
        else {
            let isUnresolved = text.contains("could not translate host name")
            return PostgreSQLError(
                .connection, isUnresolved ? "the name of the host cannot be resolved" : "a parameter is not valid")
        }
        let reason = line[start...]
        guard let message = end(of: ":  ", in: reason), reason[message...].count > 7 else {
            return PostgreSQLError(.connection, String(reason))
        }
        let code = reason[message...].prefix(5)
        guard code.allSatisfy({ $0.isUppercase && $0.isASCII || ("0"..."9").contains($0) }) else {
            return PostgreSQLError(.connection, String(reason))
        }
        return PostgreSQLError(.connection, sqlState: String(code), String(reason[message...].dropFirst(7)))
    }

    private static func end(of mark: String, in text: Substring) -> Substring.Index? {
        var rest = text
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return rest.index(rest.startIndex, offsetBy: mark.count) }
            rest.removeFirst()
        }
        return nil
    }
}

extension PostgreSQLError {
    static let connectTimeout = PostgreSQLError(.timeout, "the server did not answer the connection request in time")
}

/// How to connect, and how long to wait. What the URL says about the name, the keepalives and the session attributes
/// takes precedence.
package struct ConnectionOptions: Sendable {
    /// For each host, from the connection request to the first answer to a statement.
    package var connectTimeout: Duration

    /// The server cancels a statement after this time.
    package var statementTimeout: Duration

    /// The server fails a statement that waits for a lock longer than this.
    package var lockTimeout: Duration

    /// How long to wait for an answer of the server before the connection is given up.
    package var answerTimeout: Duration

    /// Refuses servers that are read-only, such as standbys.
    package var needsPrimary = true

    /// Refuses primaries of an older timeline: a newer one has replaced them. 0 refuses none.
    package var oldestTimeline: Int64 = 0

    package init(
        connectTimeout: Duration = .seconds(2), statementTimeout: Duration = .seconds(5), lockTimeout: Duration? = nil,
        answerTimeout: Duration? = nil
    ) {
        (self.connectTimeout, self.statementTimeout) = (connectTimeout, statementTimeout)
        self.lockTimeout = lockTimeout ?? statementTimeout
        self.answerTimeout = answerTimeout ?? statementTimeout + .seconds(1)
    }
}

/// What a connection learns from the server in its first round trip, which also sets the timeouts of the session.
struct ServerSession: Sendable {
    let isPooled: Bool
    /// As in `server_version_num`: 150018 is version 15.18.
    let serverVersion: Int
    let isStandby: Bool
    /// The timeline of a primary, which a failover increments; nil if the user may not read it.
    let timeline: Int64?

    /// Behind a pooler, the session may belong to another client after the transaction, so its settings are not
    /// changed. A pooler is recognised by the process id that it has reported, which is not the session's.
    static func begin(
        on handle: Handle, _ options: ConnectionOptions, until deadline: MonotonicTime
    ) throws(PostgreSQLError) -> ServerSession {
        do throws(PostgreSQLError) {
            return try begin(on: handle, options, readsTimeline: true, until: deadline)
        } catch  where error.isDenied && !error.isSessionEnd {
            return try begin(on: handle, options, readsTimeline: false, until: deadline)
        }
    }

    private static func begin(
        on handle: Handle, _ options: ConnectionOptions, readsTimeline: Bool, until deadline: MonotonicTime
    ) throws(PostgreSQLError) -> ServerSession {
        let sql = sql(handle.backend, options, readsTimeline: readsTimeline)
        return try read(handle.execute(sql, within: .milliseconds(deadline.millisecondsLeft)))
    }

    /// The SQL expression for the timeline of the server; NULL on a standby.
    static let timeline = """
        CASE WHEN NOT pg_is_in_recovery()
        THEN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END
        """

    private static func sql(_ backend: Int32, _ options: ConnectionOptions, readsTimeline: Bool) -> String {
        """
        SELECT pg_backend_pid() = \(backend),
        current_setting('server_version_num'), pg_is_in_recovery(), \(readsTimeline ? timeline : "NULL"),
        CASE WHEN pg_backend_pid() = \(backend)
        THEN \(settings(options, isLocal: false)) END
        """
    }

    /// Sets the timeouts, for one transaction or for the session.
    static func settings(_ options: ConnectionOptions, isLocal: Bool) -> String {
        let milliseconds = [
            ("statement_timeout", options.statementTimeout), ("lock_timeout", options.lockTimeout),
            ("idle_in_transaction_session_timeout", options.answerTimeout),
        ].map { ($0, String($1.wholeMilliseconds)) }
        return (milliseconds + [("default_transaction_isolation", "read committed")])
            .map { "set_config('\($0)', '\($1)', \(isLocal))" }.joined(separator: " || ")
    }

    private static func read(_ result: consuming QueryResult) throws(PostgreSQLError) -> ServerSession {
        guard result.rows == 1 else { throw .unexpected }
        // A simple query has results in text format.
        let row = result.row(0)
        return ServerSession(
            isPooled: row.text(0) != "t", serverVersion: Int(row.text(1)) ?? 0, isStandby: row.text(2) == "t",
            timeline: row.optionalText(3).flatMap { Int64($0) })
    }
}
