internal import CPostgreSQL
package import POSIX
import SQL

extension Connection {
    /// Queues the begin of a transaction.
    package func begin() throws(PostgreSQLError) {
        precondition(!isInTransaction, "transactions do not nest")
        try queue("BEGIN ISOLATION LEVEL READ COMMITTED")
        isInTransaction = true
        // A pooler gives the session to other clients later, so the settings are for this transaction only.
        if isPooled { try queue("SELECT " + ServerSession.settings(options, isLocal: true)) }
        try limitLockTime()
    }

    /// Queues the commit, and waits for the answers to all that is queued. If it throws, nothing has been committed,
    /// unless the error says that the outcome is unknown.
    package func commit() throws(PostgreSQLError) {
        guard isInTransaction else { throw PostgreSQLError(.usage, "there is no transaction to commit") }
        try queue("COMMIT", isCommit: true)
        // After a failed statement, COMMIT rolls the transaction back and reports no error.
        if try exchange().isRollback {
            throw PostgreSQLError(.statement, sqlState: "25P02", "the transaction was rolled back")
        }
    }

    /// Ends the transaction, also after an error. Does nothing if there is none, or if the connection is not usable.
    package func rollback() throws(PostgreSQLError) {
        guard isInTransaction, isUsable else { return }
        try queue("ROLLBACK")
        do throws(PostgreSQLError) {
            _ = try exchange()
        } catch  where isUsable && isInTransaction {
            // A statement that was queued before failed, so the server skipped the rollback.
            try queue("ROLLBACK")
            _ = try exchange()
        } catch  where isUsable {}
    }

    private func queue(_ sql: String, isCommit: Bool = false) throws(PostgreSQLError) {
        try parameters.fill([Value]())
        let statement = statements.statement(sql)
        try queue(statement, as: isCommit ? .commit(statement) : .execute(statement, commits: false))
    }
}

extension Connection {
    /// Subscribes this connection to the notifications of a channel.
    package func listen(to channel: String) throws(PostgreSQLError) {
        guard !isPooled else {
            throw PostgreSQLError(.usage, "behind a transaction pooler there are no notifications")
        }
        try run(
            "LISTEN \"" + channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                + "\"")
    }

    /// Waits for notifications, and takes all that have arrived. False after the deadline.
    package func waitForNotifications(until deadline: MonotonicTime) throws(PostgreSQLError) -> Bool {
        guard isUsable else { throw .closed }
        while true {
            let isRead = unsafe PQconsumeInput(handle.pointer) == 1
            if takeNotifications() { return true }
            guard isRead, handle.isConnected else { throw giveUp(.lost, at: 0) }
            guard handle.wait(until: deadline) else { return false }
        }
    }

    private func takeNotifications() -> Bool {
        var isAny = false
        while let notification = unsafe PQnotifies(handle.pointer) {
            unsafe PQfreemem(notification)
            isAny = true
        }
        return isAny
    }
}
