package import Curl

/// The operator's mail server, and what it needs to take a message.
package struct MailServerSettings: Sendable {
    package let server: SMTPServer
    /// Nil for a server that asks for no login.
    package let login: SMTPLogin?
    package let from: MailSender
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?
    /// Overrides that a server on this machine is spoken to without TLS at an `smtp://` address: for tests.
    package var demandsTLS: Bool?

    package init(server: SMTPServer, login: SMTPLogin?, from: MailSender) {
        self.server = server
        self.login = login
        self.from = from
    }

    /// - Parameter timeout: for everything until the server has taken the message.
    func client(timeout: Duration) -> SMTPClient {
        var client = SMTPClient(server: server, login: login, helloName: from.domain)
        client.timeout = timeout
        client.authorities = authorities
        if let demandsTLS { client.demandsTLS = demandsTLS }
        return client
    }
}
