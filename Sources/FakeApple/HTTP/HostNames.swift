/// The host names that a fake Apple answers to. A web page can have its own name resolve to this machine (DNS rebinding)
/// and then read every answer; its browser puts that name into the Host header.
package struct HostNames: Sendable {
    private let names: Set<String>

    /// - Parameter others: names beside those that every machine gives itself.
    package init(and others: [String] = []) {
        names = Set(["localhost", "127.0.0.1", "[::1]"] + others.map { $0.lowercased() })
    }

    /// Whether a Host header names this fake Apple, with a port or without.
    func contains(_ host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        if names.contains(host) { return true }
        guard let colon = host.lastIndex(of: ":") else { return false }
        let port = host[host.index(after: colon)...]
        return !port.isEmpty && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && names.contains(String(host[..<colon]))
    }

    static let refusal = HTTPReply.refusal(
        "421 Misdirected Request",
        "the Host header names another host; if it is a name of this one, start fake-apple with --host NAME")
}
