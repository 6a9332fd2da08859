internal import CPostgreSQL
package import POSIX

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
