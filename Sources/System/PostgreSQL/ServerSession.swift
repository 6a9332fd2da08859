internal import POSIX

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
