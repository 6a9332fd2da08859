/// The parts of an address, as far as it has them. It may be any text of a request.
struct AddressParts {
    private(set) var scheme = ""
    private(set) var host = ""
    private(set) var port = ""
    private(set) var path = ""

    init(_ text: String) {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        scheme = String(text[..<colon])
        let rest = text[colon...].dropFirst()
        let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#".contains($0) } : ""
        // An IPv6 address has colons.
        let end = authority.lastIndex { ":]".contains($0) }.flatMap { authority[$0] == ":" ? $0 : nil }
        host = String(authority[..<(end ?? authority.endIndex)])
        // A redirect address of the machine itself permits any port.
        let isLoopback = ["127.0.0.1", "[::1]"].contains(host)
        port = isLoopback ? "" : end.map { String(authority[$0...].dropFirst()) } ?? ""
        path = String(rest.hasPrefix("//") ? rest[authority.endIndex...] : rest)
    }

    private func compared(with other: Self) -> [(name: String, own: String, other: String)] {
        [
            ("scheme", scheme, other.scheme), ("host", host, other.host), ("port", port, other.port),
            ("path", path, other.path),
        ]
    }

    /// How many parts are equal.
    func similarity(to other: Self) -> Int { compared(with: other).count { $0.own == $0.other } }

    /// What differs first, for a developer.
    func difference(from other: Self) -> String {
        guard similarity(to: other) > 1 else { return "it resembles none of REDIRECT_URIS: add it there" }
        guard let (name, own, others) = compared(with: other).first(where: { $0.own != $0.other })
        else { return "nothing" }
        if own + "/" == others { return "the slash at the end is missing" }
        if own == others + "/" { return "the slash at the end is too much" }
        return "the \(name) is \(own.isEmpty ? "none" : own), not \(others.isEmpty ? "none" : others)"
    }
}
