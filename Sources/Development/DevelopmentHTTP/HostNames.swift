import Text

/// The accepted values of the Host header. They prevent DNS rebinding: a web page whose name resolves to this machine
/// could otherwise read every answer, but its browser sends that name as Host.
package struct HostNames: Sendable {
    private let names: Set<String>

    /// - Parameter others: names in addition to the loopback names.
    package init(and others: [String] = []) {
        names = Set(["localhost", "127.0.0.1", "[::1]"] + others.map { $0.lowercased() })
    }

    /// Whether a Host header is accepted, with or without a port.
    func contains(_ host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        if names.contains(host) { return true }
        guard let colon = host.lastIndex(of: ":") else { return false }
        let port = host[host.index(after: colon)...]
        return !port.isEmpty && port.utf8.allSatisfy(\.isDigit)
            && names.contains(String(host[..<colon]))
    }
}
