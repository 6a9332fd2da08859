internal import Glibc

/// Requests to an address that another server has chosen, such as the issuer of tokens in its metadata.
extension HTTPClient {
    /// Sends a request with a client that connects to public addresses only: the other server must not make this machine send
    /// requests into the operator's network. One that has a private address itself may name others: it is the operator's.
    ///
    /// A proxy from the environment has its own rules, and hides the address.
    package func sending<Answer>(
        toAddressNamedBy server: String, _ send: (HTTPClient) throws(HTTPFault) -> Answer
    ) throws(HTTPFault) -> Answer {
        if Self.hasProxy || Loopback.isHost(of: server) { return try send(self) }
        var client = self
        client.addresses = .publicOnly
        do throws(HTTPFault) { return try send(client) } catch {
            // Nothing was sent. With a valid certificate, the private address is really the other server's.
            client.addresses = .privateOnly
            guard error == .privateAddress, (try? client.connect(server)) != nil else { throw error }
            return try send(self)
        }
    }

    private static var hasProxy: Bool {
        let names: [String] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { unsafe getenv($0) != nil }
    }
}

extension IPAddress {
    /// Whether the host of a URL is this machine, or a private address in digits. A name may still have a private address.
    package static func isPrivateHost(of url: String) -> Bool {
        let rest = url.ranges(of: "://").first.map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if host.hasPrefix("[") { return IPAddress(String(host.dropFirst().prefix { $0 != "]" }))?.isPrivate ?? true }
        let name = host.prefix { $0 != ":" }.lowercased().split(separator: ".").joined(separator: ".")
        return name == "localhost" || name.hasSuffix(".localhost") || IPAddress(name)?.isPrivate == true
    }
}
