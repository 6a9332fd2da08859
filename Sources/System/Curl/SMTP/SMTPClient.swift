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
        self.server = server
        self.login = login
        self.helloName = helloName
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
        self.username = username
        self.password = password
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
        return halves[0].allSatisfy { (0x21...0x7E).contains($0) && !#"<>()[]:;,"\"#.utf8.contains($0) }
            && halves[1].allSatisfy(isHostNameByte)
    }

    private static func isHostNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-.".utf8.contains(byte)
    }
}
