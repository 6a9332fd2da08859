/// The state of one connection to the mail server (RFC 5321): takes lines, and answers them.
struct SMTPSession {
    static let largestMessage = 1 << 18
    private static let commands: Set<String> = [
        "EHLO", "HELO", "AUTH", "MAIL", "RCPT", "DATA", "RSET", "NOOP", "QUIT", "VRFY",
    ]
    private static let maximumRecipients = 100

    private enum Expected {
        case command
        case credentials(SMTPAuthentication)
        case data
    }

    private struct Transaction {
        var recipients: [String] = []
        var content: [UInt8] = []
        var isTooLarge = false

        /// Keeps no more than the largest message.
        mutating func append(_ line: ArraySlice<UInt8>) {
            isTooLarge = isTooLarge || content.count + line.count + 2 > SMTPSession.largestMessage
            if isTooLarge { content = [] } else { content += line + [0x0D, 0x0A] }
        }
    }

    private let settings: MailSettings
    private var expected = Expected.command
    private var hasGreeted = false
    private var isAuthenticated = false
    private var transaction: Transaction?

    init(_ settings: MailSettings) {
        self.settings = settings
    }

    /// A message that the client has sent completely.
    struct Delivery {
        let recipients: [String]
        let content: [UInt8]
    }

    enum Answer {
        /// Nil for a line of the message.
        case reply(SMTPReply?)
        case message(Delivery)
    }

    /// The name of a line's command, for the record: a word that is no command may be content.
    static func command(_ line: [UInt8]) -> String {
        let word = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self).uppercased()
        return commands.contains(word) ? word : "OTHER"
    }

    var isReceivingData: Bool {
        if case .data = expected { true } else { false }
    }

    /// - Parameter line: without its CRLF.
    mutating func take(_ line: [UInt8], fault: MailFault?) -> Answer {
        if isReceivingData { return takeData(line) }
        let text = String(decoding: line, as: UTF8.self)
        if case .credentials(var authentication) = expected {
            return .reply(finish(authentication.take(text[...]), authentication, fault))
        }
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return .reply(perform(words[0].uppercased(), words.count > 1 ? words[1] : "", fault))
    }

    private mutating func perform(_ command: String, _ argument: Substring, _ fault: MailFault?) -> SMTPReply {
        switch command {
        case "EHLO", "HELO": greet(isExtended: command == "EHLO", argument)
        case "AUTH": authenticate(argument, fault)
        case "MAIL": begin(argument, isUnauthenticated: settings.credentials != nil || fault == .badCredentials)
        case "RCPT": addRecipient(argument, fault)
        case "DATA": startData()
        case "RSET": reset()
        case "NOOP": .done
        case "VRFY": SMTPReply(252, "2.1.5 Cannot verify")
        case "QUIT": .bye
        default: .unknownCommand
        }
    }

    private mutating func greet(isExtended: Bool, _ name: Substring) -> SMTPReply {
        guard !name.isEmpty else { return .badArgument }
        hasGreeted = true
        transaction = nil
        return isExtended
            ? SMTPReply(250, "fake-mail", "SIZE \(Self.largestMessage)", "8BITMIME", "AUTH PLAIN LOGIN")
            : SMTPReply(250, "fake-mail")
    }

    private mutating func reset() -> SMTPReply {
        transaction = nil
        return .done
    }
}

// MARK: - AUTH

extension SMTPSession {
    private mutating func authenticate(_ argument: Substring, _ fault: MailFault?) -> SMTPReply {
        guard hasGreeted, !isAuthenticated, transaction == nil else { return .badSequence }
        guard let (authentication, step) = SMTPAuthentication.begin(argument) else { return .unknownMechanism }
        return finish(step, authentication, fault)
    }

    private mutating func finish(
        _ step: SMTPAuthentication.Step, _ authentication: SMTPAuthentication, _ fault: MailFault?
    ) -> SMTPReply {
        expected = .command
        switch step {
        case .ask(let question):
            expected = .credentials(authentication)
            return question
        case .failed(let reply): return reply
        case .complete(let credentials):
            guard fault != .badCredentials, settings.credentials.map({ $0 == credentials }) ?? true else {
                return .badCredentials
            }
            isAuthenticated = true
            return .authenticated
        }
    }
}

// MARK: - A message

extension SMTPSession {
    private mutating func begin(_ argument: Substring, isUnauthenticated: Bool) -> SMTPReply {
        guard hasGreeted, transaction == nil else { return .badSequence }
        guard isAuthenticated || !isUnauthenticated else { return .authenticationRequired }
        guard let path = SMTPPath(argument, after: "FROM:") else { return .badArgument }
        guard path.parameters.allSatisfy({ ["SIZE", "BODY", "AUTH"].contains($0.name) }) else {
            return .unknownParameter
        }
        guard path.size ?? 0 <= Self.largestMessage else { return .tooLarge }
        transaction = Transaction()
        return .done
    }

    private mutating func addRecipient(_ argument: Substring, _ fault: MailFault?) -> SMTPReply {
        guard let count = transaction?.recipients.count else { return .badSequence }
        guard let path = SMTPPath(argument, after: "TO:"), !path.address.isEmpty else { return .badArgument }
        guard path.parameters.isEmpty else { return .unknownParameter }
        if fault == .mailboxBusy { return .busyMailbox }
        if fault == .unknownMailbox { return .unknownMailbox }
        guard count < Self.maximumRecipients else { return .tooManyRecipients }
        transaction?.recipients.append(path.address)
        return .done
    }

    private mutating func startData() -> SMTPReply {
        guard transaction?.recipients.isEmpty == false else { return .badSequence }
        expected = .data
        return .sendData
    }

    /// A line that begins with a dot has one more than the message (RFC 5321, section 4.5.2).
    private mutating func takeData(_ line: [UInt8]) -> Answer {
        let dot = UInt8(ascii: ".")
        guard line != [dot] else { return endData() }
        transaction?.append(line.first == dot ? line.dropFirst() : line[...])
        return .reply(nil)
    }

    private mutating func endData() -> Answer {
        defer {
            expected = .command
            transaction = nil
        }
        guard let transaction, !transaction.isTooLarge else { return .reply(.tooLarge) }
        return .message(Delivery(recipients: transaction.recipients, content: transaction.content))
    }
}
