import SQL

/// An error of the server or of the connection. Its message names constraints, never a value, a password or a URL.
package struct PostgreSQLError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Cause: Sendable {
        /// The server's answer to a statement.
        case statement
        /// The connection could not be established, or is lost.
        case connection
        case timeout
        /// A mistake in this program or in its settings: nothing was sent.
        case usage
        /// A value that this program did not write.
        case damage
    }

    /// Errors of the server are distinguished by this code, never by the text. Empty if this side found the error.
    package let sqlState: String
    package let message: String
    let cause: Cause

    /// The connection was lost or timed out while a commit was outstanding, so the commit may have happened.
    package internal(set) var isOutcomeUnknown = false

    init(_ cause: Cause, sqlState: String = "", _ message: String) {
        (self.cause, self.sqlState, self.message) = (cause, sqlState, message)
    }

    /// Everything that runs on a connection throws one of these two. Another error would be a mistake in this program.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as PostgreSQLError: error
            case let error as UnreadableValue: PostgreSQLError(.damage, error.description)
            default: PostgreSQLError(.usage, String(reflecting: type(of: error)))
            }
    }

    package var description: String {
        let code = sqlState.isEmpty ? "" : " " + sqlState
        return "PostgreSQL\(code): \(message)" + (isOutcomeUnknown ? "; whether the commit happened is unknown" : "")
    }
}

/// What the caller can do.
extension PostgreSQLError {
    /// The connection must be closed. Another one may succeed, perhaps with another server.
    package var isConnectionLost: Bool {
        cause == .connection || cause == .timeout || sqlState.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57P05", "25006", "25P03"].contains(sqlState)
    }

    /// The server ends the session, or nothing was received from it.
    var isSessionEnd: Bool { cause == .connection || cause == .timeout }

    /// The transaction may succeed when it is run again: it lost against another one, or its statements were prepared
    /// for an earlier schema.
    package var isRetryable: Bool { ["40001", "40P01", "23505", "26000", "0A000"].contains(sqlState) }

    /// The statement, a lock or the answer took too long.
    package var isTimeout: Bool { cause == .timeout || ["57014", "55P03"].contains(sqlState) }

    /// The server has as many connections as it allows, for all, for the database or for the user.
    package var isOutOfConnections: Bool { sqlState == "53300" }

    /// The server's disk is full.
    package var isFull: Bool { sqlState == "53100" }

    /// The server refuses the user, the password or the privilege.
    package var isDenied: Bool { sqlState.hasPrefix("28") || sqlState == "42501" }

    /// A row breaks a constraint.
    package var isConstraint: Bool { sqlState.hasPrefix("23") }

    /// A value was not written by this program, or the server found its files damaged.
    package var isDamage: Bool { cause == .damage || sqlState.hasPrefix("XX00") && sqlState != "XX000" }
}

extension PostgreSQLError {
    static let lost = PostgreSQLError(.connection, "the server closed the connection")
    /// Another server has become the primary.
    static let replaced = PostgreSQLError(
        .connection,
        "the server is an old primary: there is a newer timeline; if the database was set back, restart Gatehouse")
    static let closed = PostgreSQLError(.connection, "the connection is closed")
    static let unexpected = PostgreSQLError(.connection, "the server sent an unexpected answer")
    static let tooLate = PostgreSQLError(.timeout, "the server did not answer in time")
    static let zeroByte = PostgreSQLError(
        .usage, sqlState: "22021", "a text contains a zero byte, which PostgreSQL does not store")
}
