import JOSE

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
