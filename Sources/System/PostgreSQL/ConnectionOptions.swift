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
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout ?? statementTimeout
        self.answerTimeout = answerTimeout ?? statementTimeout + .seconds(1)
    }
}
