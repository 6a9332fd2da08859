import JOSE
import Text

/// A reply of the mail server (RFC 5321, section 4.2).
struct SMTPReply: Equatable {
    let code: Int
    private let lines: [String]

    init(_ code: Int, _ lines: String...) {
        (self.code, self.lines) = (code, lines)
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

/// Splits what a client sends into lines.
struct SMTPLines {
    /// With its CRLF (RFC 5321, section 4.5.3.1.6).
    private static let longest = 1000

    enum Line: Equatable {
        /// Without its CRLF.
        case complete([UInt8])
        /// Too long, or ended by something else.
        case malformed
    }

    private var received: [UInt8] = []

    mutating func append(_ bytes: ArraySlice<UInt8>) { received += bytes }

    /// Nil until more has arrived.
    mutating func next() -> Line? {
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else {
            return received.count > Self.longest ? .malformed : nil
        }
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        guard line.last == UInt8(ascii: "\r"), line.count < Self.longest else { return .malformed }
        return .complete(Array(line.dropLast()))
    }
}

/// The argument of `MAIL FROM:` or `RCPT TO:`: an address in angle brackets, and parameters.
struct SMTPPath {
    /// Empty for the null sender.
    let address: String
    /// The names in upper case.
    let parameters: [(name: String, value: String)]

    /// - Parameter keyword: `FROM:` or `TO:`.
    init?(_ argument: Substring, after keyword: String) {
        guard argument.prefix(keyword.count).uppercased() == keyword else { return nil }
        let rest = argument.dropFirst(keyword.count)
        guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
        address = String(rest[rest.index(after: rest.startIndex)..<end])
        guard Self.isAddress(address) else { return nil }
        parameters = rest[rest.index(after: end)...].split(separator: " ").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            return (parts[0].uppercased(), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        if text.isEmpty { return true }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0.isVisible && $0 != UInt8(ascii: "<") }
    }

    /// The `SIZE` that the client announces. Nil without it.
    var size: Int? { parameters.first { $0.name == "SIZE" }.flatMap { Int($0.value) } }
}

/// The `AUTH` command: PLAIN (RFC 4616) and LOGIN.
struct SMTPAuthentication {
    private enum Wanted {
        case plain
        case username
        case password(username: String)
    }

    enum Step {
        case ask(SMTPReply)
        case complete(MailCredentials)
        case failed(SMTPReply)
    }

    private var wanted: Wanted

    /// - Returns: nil for an unknown mechanism.
    static func begin(_ argument: Substring) -> (authentication: SMTPAuthentication, step: Step)? {
        let words = argument.split(separator: " ", maxSplits: 1)
        let initial = words.count > 1 ? words[1] : nil
        var authentication: SMTPAuthentication
        switch words.first?.uppercased() {
        case "PLAIN": authentication = SMTPAuthentication(wanted: .plain)
        case "LOGIN": authentication = SMTPAuthentication(wanted: .username)
        default: return nil
        }
        let step = initial.map { authentication.take($0) } ?? .ask(authentication.question)
        return (authentication, step)
    }

    /// In base64, as LOGIN has no other form.
    private var question: SMTPReply {
        switch wanted {
        case .plain: SMTPReply(334, "")
        case .username: SMTPReply(334, "VXNlcm5hbWU6")
        case .password: SMTPReply(334, "UGFzc3dvcmQ6")
        }
    }

    /// Takes an answer of the client; `*` cancels.
    mutating func take(_ line: Substring) -> Step {
        guard let bytes = Base64.decode(line == "=" ? "" : String(line)),
            let text = String(validating: bytes, as: UTF8.self)
        else { return .failed(.badArgument) }
        switch wanted {
        case .plain:
            let parts = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { return .failed(.badArgument) }
            return .complete(MailCredentials(username: parts[1], password: parts[2]))
        case .username:
            wanted = .password(username: text)
            return .ask(question)
        case .password(let username):
            return .complete(MailCredentials(username: username, password: text))
        }
    }
}
