import Text

/// An address at which a sign-in through a browser may end: of a page (https), of an app (an app link, or a scheme of its
/// own, RFC 8252), or of a program on the user's computer (a loopback address).
package struct RedirectURI: Sendable, Equatable {
    package let text: String
    /// What stands before and after the port of a loopback address, which the program chooses when it starts (RFC 8252,
    /// section 7.3); nil for any other address.
    private let loopback: (start: String, end: String)?

    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
}

extension RedirectURI {
    /// Why an address may not be one.
    package enum Fault: Error, Sendable, Equatable {
        case notAnAddress
        /// The code comes in the query, and a fragment would hide it from the server of a page.
        case hasFragment
        case hasUserInformation
        case hasWildcard
        /// A scheme without a dot may be another app's (RFC 8252, section 7.1).
        case schemeWithoutDot
        /// Such a scheme belongs to no app: the browser itself handles it.
        case forbiddenScheme
        /// Plain HTTP to another machine.
        case plainHTTP
    }

    private static let longest = 1024
    private static let loopbackHosts = ["127.0.0.1", "[::1]"]

    /// - Parameter permitsLocalhost: in development, pages under `http://localhost` as well, at exactly this port. Another
    ///   program may listen at a name that resolves to several addresses (RFC 8252, section 8.3).
    package init(_ text: String, permitsLocalhost: Bool = false) throws(Fault) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.isPermitted),
            Self.isScheme(parts[0])
        else { throw .notAnAddress }
        guard !text.contains("#") else { throw .hasFragment }
        guard !text.contains("*") else { throw .hasWildcard }
        self.text = text
        switch parts[0] {
        case "https":
            guard try Self.authority(of: parts[1]).host.contains(where: { $0 != "." }) else { throw .notAnAddress }
            loopback = nil
        case "http":
            let (host, port, rest) = try Self.authority(of: parts[1])
            if Self.loopbackHosts.contains(host) {
                loopback = ("http://\(host)", rest)
            } else {
                guard permitsLocalhost, host == "localhost", port != nil else { throw .plainHTTP }
                loopback = nil
            }
        case let scheme:
            guard !["javascript", "data", "file", "vbscript", "blob", "about", "intent"].contains(scheme) else {
                throw .forbiddenScheme
            }
            guard scheme.contains(".") else { throw .schemeWithoutDot }
            guard !parts[1].isEmpty else { throw .notAnAddress }
            loopback = nil
        }
    }

    /// Compares bytes (RFC 9700, section 4.1.3). Only the port of a loopback address may differ.
    func matches(_ other: String) -> Bool {
        guard let loopback else { return other.utf8.elementsEqual(text.utf8) }
        let (other, start, end) = (Array(other.utf8), Array(loopback.start.utf8), Array(loopback.end.utf8))
        guard other.starts(with: start), other.count >= start.count + end.count,
            other.suffix(end.count).elementsEqual(end)
        else { return false }
        let port = other.dropFirst(start.count).dropLast(end.count)
        guard port.first == UInt8(ascii: ":") else { return port.isEmpty }
        let digits = port.dropFirst()
        return (1...5).contains(digits.count) && digits.allSatisfy(\.isDigit)
    }

    /// What a log may contain of any text that a client calls an address: neither a query nor a password.
    package static func plainPart(of text: String) -> String {
        let plain = text.prefix { $0 != "?" && $0 != "#" }
        guard plain.utf8.count <= 256, plain.utf8.allSatisfy(isPermitted), !plain.contains("@") else {
            return "(not an address)"
        }
        return String(plain)
    }

    /// The address at which a browser returns to an app, with parameters after those of its own query.
    static func address(_ text: String, adding parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return text + (text.contains("?") ? "&" : "?") + query
    }

    /// Host, port and what follows, after the scheme and its colon.
    private static func authority(
        of rest: Substring
    ) throws(Fault) -> (host: String, port: String?, rest: String) {
        guard rest.hasPrefix("//") else { throw .notAnAddress }
        let after = rest.dropFirst(2)
        let authority = after.prefix { !"/?".contains($0) }
        guard !authority.contains("@") else { throw .hasUserInformation }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let host = end.map { authority[..<$0] } ?? authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count)
        guard !host.isEmpty, port.isEmpty || port.first == ":" && isPort(port.dropFirst()) else { throw .notAnAddress }
        return (host.lowercased(), port.isEmpty ? nil : String(port), String(after.dropFirst(authority.count)))
    }

    private static func isPort(_ text: Substring) -> Bool {
        (1...5).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
    }

    /// RFC 3986, section 3.1; upper case would be another address for a comparison of bytes.
    private static func isScheme(_ text: Substring) -> Bool {
        guard text.utf8.first?.isLowercaseLetter == true else { return false }
        return text.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    /// What an address may contain without an escape, and nothing that a header, a page or a browser reads otherwise.
    private static func isPermitted(_ byte: UInt8) -> Bool {
        byte.isVisible && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}
