internal import CPostgreSQL
internal import OpenSSL
import SQL

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
