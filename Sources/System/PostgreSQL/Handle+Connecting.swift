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
