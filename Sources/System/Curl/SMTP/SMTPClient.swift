import Text

/// A blocking mail client that hands one message to one server.
///
/// The connection is encrypted, or the message and the password are not sent. Only a server on this machine, at an
/// `smtp://` address, is spoken to without TLS.
package struct SMTPClient: Sendable {
    package let server: SMTPServer
    package let login: SMTPLogin?
    /// The name that EHLO gives: a domain of the sender, as the name of this machine is often not a public one.
    package let helloName: String
    /// For everything until the server has taken the message.
    package var timeout = Duration.seconds(5)
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?
    package var demandsTLS: Bool

    /// How much longer than `timeout` a server may delay the return by not answering QUIT.
    package static let longestQuit = Duration.seconds(1)

    package init(server: SMTPServer, login: SMTPLogin?, helloName: String) {
        (self.server, self.login, self.helloName) = (server, login, helloName)
        demandsTLS = server.startsWithTLS || !server.isLoopback
    }

    /// Returns when the server has taken the message.
    ///
    /// - Parameter message: header and body, with CRLF at the end of each line.
    package func send(_ message: [UInt8], from sender: String, to recipient: String) throws(SMTPFault) {
        guard SMTPAddress.isValid(sender), SMTPAddress.isValid(recipient) else { throw .invalidAddress }
        let transfer = try transfer()
        try transfer.setMessage(message, from: sender, to: recipient)
        try transfer.perform()
    }

    /// Connects, starts TLS, logs in, and sends NOOP and QUIT. No message is sent.
    package func probe() throws(SMTPFault) {
        let transfer = try transfer()
        try transfer.setNoMessage()
        try transfer.perform()
        // libcurl goes on without a login if the server offers none.
        guard login == nil || transfer.hasLoggedIn else { throw .noLogin }
    }

    private func transfer() throws(SMTPFault) -> SMTPTransfer {
        let transfer = try SMTPTransfer()
        try transfer.configure(self)
        return transfer
    }
}

/// The user name and the password for a mail server.
package struct SMTPLogin: Sendable, CustomStringConvertible, CustomReflectable {
    let username: String
    let password: String

    package init(username: String, password: String) {
        (self.username, self.password) = (username, password)
    }

    package var description: String { "a login for a mail server" }

    /// Without the password, which a test or a log would print.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

package enum SMTPAddress {
    /// Of a path without its angle brackets (RFC 5321, section 4.5.3.1.3).
    private static let longest = 254

    /// Whether an address can stand in a command and in a header field without being read as something else. It is no check
    /// of the syntax of addresses.
    package static func isValid(_ address: String) -> Bool {
        let bytes = Array(address.utf8)
        let halves = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard bytes.count <= longest, halves.count == 2, halves.allSatisfy({ !$0.isEmpty }) else { return false }
        return halves[0].allSatisfy { $0.isVisible && !#"<>()[]:;,"\"#.utf8.contains($0) }
            && halves[1].allSatisfy(isHostNameByte)
    }

    private static func isHostNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-.".utf8.contains(byte)
    }
}

/// The address of a mail server, such as `smtps://mail.example.com:465` or `smtp://127.0.0.1:25`.
package struct SMTPServer: Sendable, Equatable {
    /// With the port, and without a path.
    package let url: String
    package let isLoopback: Bool
    /// Whether TLS begins with the connection. Otherwise the server is asked for it (STARTTLS).
    package let startsWithTLS: Bool

    /// The ports of RFC 8314 and RFC 6409.
    private static let schemes = [
        (prefix: "smtps://", port: 465, startsWithTLS: true), (prefix: "smtp://", port: 587, startsWithTLS: false),
    ]

    /// Nil unless the text is a scheme, a host and, optionally, a port: the user, the password and the name for EHLO have
    /// settings of their own.
    package init?(_ text: String) {
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0.prefix) }) else { return nil }
        var authority = text.dropFirst(scheme.prefix.count)
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard let (host, port) = Self.parts(of: authority) else { return nil }
        url = "\(scheme.prefix)\(host):\(port ?? scheme.port)"
        isLoopback = Loopback.isHost(ofAuthority: authority)
        startsWithTLS = scheme.startsWithTLS
    }

    private static func parts(of authority: Substring) -> (host: Substring, port: Int?)? {
        let bracket = authority.hasPrefix("[") ? authority.lastIndex(of: "]") : authority.startIndex
        guard let bracket else { return nil }
        let colon = authority[bracket...].firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon]
        guard isHost(host) else { return nil }
        guard colon < authority.endIndex else { return (host, nil) }
        let digits = authority[authority.index(after: colon)...]
        guard let port = UInt16(digits: digits), port > 0 else { return nil }
        return (host, Int(port))
    }

    /// A name, an IPv4 address, or an IPv6 address in brackets. The resolver and the certificate decide the rest.
    private static func isHost(_ host: Substring) -> Bool {
        let isNumeric = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isNumeric ? host.dropFirst().dropLast() : host
        let others = isNumeric ? ":." : "-."
        return !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || others.utf8.contains($0) }
    }
}

/// Why a mail server did not take a message.
package enum SMTPFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The server's answer to a step, with a code of 400 or more.
    case refused(SMTPStep, SMTPReply)
    /// The server offers neither of the ways to log in that send a password through TLS (PLAIN and LOGIN).
    case noLogin
    /// An address that could be read as another part of a command.
    case invalidAddress
    case transport(HTTPFault)

    package var description: String {
        switch self {
        case .refused(let step, let reply): "the mail server answers \(reply) to \(step.rawValue)"
        case .noLogin: "the mail server offers no login by PLAIN or LOGIN"
        case .invalidAddress: "the address is not one of a mailbox"
        case .transport(let fault): fault.description
        }
    }
}

/// What a mail server is asked, in the order of a conversation.
package enum SMTPStep: String, Sendable {
    case connection = "the connection"
    case hello = "EHLO"
    case startTLS = "STARTTLS"
    case login = "AUTH"
    case sender = "MAIL"
    case recipient = "RCPT"
    case data = "DATA"
    case message = "the message"
    case nothing = "NOOP"
    case quit = "QUIT"

    /// The step that a command of libcurl takes; nil for a line that is no command, such as a part of a login.
    init?(command: some Sequence<UInt8>) {
        let verb = String(decoding: command.prefix { $0 > 0x20 }, as: UTF8.self)
        if verb == "HELO" { self = .hello } else { self.init(rawValue: verb) }
    }
}
