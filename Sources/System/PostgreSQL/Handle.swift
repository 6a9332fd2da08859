internal import CPostgreSQL
internal import Glibc
internal import POSIX

/// Owner of libpq's connection. No call blocks except `wait`.
@safe
final class Handle {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
        // By default libpq writes notices to the standard error output.
        unsafe PQsetNoticeReceiver(pointer, { _, _ in }, nil)
    }

    /// Tells the server that the session ends, if the socket accepts that at once.
    deinit {
        unsafe PQfinish(pointer)
    }

    var isConnected: Bool { unsafe PQstatus(pointer) == CONNECTION_OK }

    /// Ends the connection for both sides, so that closing it cannot wait for the peer.
    func disconnect() {
        let socket = unsafe PQsocket(pointer)
        if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Waits until the socket is readable or writable, as requested. False after the deadline.
    func wait(readable: Bool = true, writable: Bool = false, until deadline: MonotonicTime) -> Bool {
        let events = (readable ? POLLIN : 0) | (writable ? POLLOUT : 0)
        var entry = pollfd(fd: unsafe PQsocket(pointer), events: Int16(events), revents: 0)
        return BlockingSection.run {
            while true {
                let count = unsafe poll(&entry, 1, deadline.millisecondsLeft)
                if count >= 0 || errno != EINTR { return count > 0 }
            }
        }
    }

    /// Sends queued bytes as far as the socket accepts them, waits until it can transfer more, and reads what has
    /// arrived.
    func exchange(within timeout: Duration, until end: MonotonicTime? = nil) throws(PostgreSQLError) {
        let limit = MonotonicTime.now + timeout
        let unsent = unsafe PQflush(pointer)
        guard unsent >= 0 else { return try readRemains() }
        guard wait(writable: unsent == 1, until: min(limit, end ?? limit)) else { throw .tooLate }
        guard unsafe PQconsumeInput(pointer) == 1 else { return try readRemains() }
        // One call takes at least 8 KiB. OpenSSL may hold the rest of a record of 16 KiB, which poll does not see.
        if unsafe PQsslInUse(pointer) == 1 {
            for _ in 0..<2 where unsafe PQisBusy(pointer) == 1 { unsafe PQconsumeInput(pointer) }
        }
    }

    /// After a failed transfer the server's last message may still be there, which says why it closed the connection.
    private func readRemains() throws(PostgreSQLError) {
        unsafe PQconsumeInput(pointer)
        if unsafe PQisBusy(pointer) == 1 { throw .lost }
    }

    /// The next result; nil at the end of a statement's results. The timeout starts again whenever bytes arrive.
    func nextResult(
        within timeout: Duration, until end: MonotonicTime? = nil
    ) throws(PostgreSQLError) -> QueryResult? {
        while unsafe PQisBusy(pointer) == 1 { try exchange(within: timeout, until: end) }
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe QueryResult(takingOwnership: result)
    }

    /// The process id of the session, as the server reported it before the first statement.
    var backend: Int32 { unsafe PQbackendPID(pointer) }

    /// Sends everything that is queued. It also reads: the server may wait until its own answers are read.
    func flush(within timeout: Duration) throws(PostgreSQLError) {
        while true {
            let unsent = unsafe PQflush(pointer)
            if unsent == 0 { return }
            guard unsent == 1 else { throw .lost }
            guard wait(writable: true, until: MonotonicTime.now + timeout) else { throw .tooLate }
            guard unsafe PQconsumeInput(pointer) == 1 else { throw .lost }
        }
    }

    /// Executes statements without parameters outside of a pipeline, and returns the result of the last one.
    func execute(_ sql: String, within timeout: Duration) throws(PostgreSQLError) -> QueryResult {
        guard unsafe PQsendQuery(pointer, sql) == 1 else { throw .lost }
        return try lastResult(within: timeout)
    }

    /// All results up to the end are read, so that the connection is usable after an error. The first error is thrown.
    func lastResult(within timeout: Duration) throws(PostgreSQLError) -> QueryResult {
        var last: QueryResult?
        var failure: PostgreSQLError?
        while let result = try nextResult(within: timeout) {
            if let error = result.failure { failure = failure ?? error }
            last = consume result
        }
        if let failure { throw failure }
        guard let last else { throw .unexpected }
        return last
    }
}
