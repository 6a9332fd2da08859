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
