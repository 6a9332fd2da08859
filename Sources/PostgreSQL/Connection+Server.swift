internal import CPostgreSQL

extension Connection {
    /// The server of the connection as libpq names it: a host with its port, or a socket.
    package var address: String {
        let host = unsafe PQhost(handle.pointer).map { unsafe String(cString: $0) } ?? ""
        let port = unsafe PQport(handle.pointer).map { unsafe String(cString: $0) } ?? ""
        if host.hasPrefix("/") { return "\(host)/.s.PGSQL.\(port)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    package var isEncrypted: Bool { unsafe PQsslInUse(handle.pointer) == 1 }
}
