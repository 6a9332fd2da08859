/// A reply of the mail server (RFC 5321, section 4.2).
struct SMTPReply: Equatable {
    let code: Int
    private let lines: [String]

    init(_ code: Int, _ lines: String...) {
        self.code = code
        self.lines = lines
    }

    /// Whether the server closes the connection after the reply.
    var closes: Bool { code == 221 || code == 421 || self == .badLine }

    var bytes: [UInt8] {
        let last = lines.count - 1
        return lines.enumerated().flatMap { index, line in
            Array("\(code)\(index == last ? " " : "-")\(line)\r\n".utf8)
        }
    }
}

extension SMTPReply {
    static let greeting = SMTPReply(220, "fake-mail ESMTP")
    static let done = SMTPReply(250, "2.0.0 OK")
    static let bye = SMTPReply(221, "2.0.0 Bye")
    static let sendData = SMTPReply(354, "End data with <CR><LF>.<CR><LF>")

    static let unavailable = SMTPReply(421, "4.3.2 Service not available, closing the connection")
    static let idle = SMTPReply(421, "4.4.2 No command for too long, closing the connection")
    static let crowded = SMTPReply(421, "4.3.2 Too many connections, closing this one")

    static let unknownCommand = SMTPReply(500, "5.5.2 Unknown command")
    static let badLine = SMTPReply(500, "5.5.2 A line is too long, or does not end with CRLF")
    static let badArgument = SMTPReply(501, "5.5.4 Malformed argument")
    static let badSequence = SMTPReply(503, "5.5.1 Bad sequence of commands")
    static let unknownParameter = SMTPReply(555, "5.5.4 Unknown parameter")

    static let authenticated = SMTPReply(235, "2.7.0 Authenticated")
    static let unknownMechanism = SMTPReply(504, "5.5.4 Unknown mechanism: PLAIN, LOGIN")
    static let authenticationRequired = SMTPReply(530, "5.7.0 Authentication required")
    static let badCredentials = SMTPReply(535, "5.7.8 Authentication credentials invalid")

    static let busyMailbox = SMTPReply(450, "4.2.1 Mailbox busy: try again later")
    static let unknownMailbox = SMTPReply(550, "5.1.1 No such mailbox")
    static let fullMailbox = SMTPReply(552, "5.2.2 Mailbox full")
    static let tooManyRecipients = SMTPReply(452, "4.5.3 Too many recipients")
    static let tooLarge = SMTPReply(552, "5.3.4 Message too large")

    static func badMessage(_ reason: String) -> SMTPReply { SMTPReply(554, "5.6.0 \(reason)") }
}
