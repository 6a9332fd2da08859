import DevelopmentHTTP
import JSON
import POSIX
import Synchronization

/// What all connections of the mail server share, and the endpoints that control it.
final class FakeMail: ProviderKind {
    private static let path = "/mail"

    private let inbox: Inbox
    private let responder: Responder
    private let log: ProviderRequestLog
    private let clock: @Sendable () -> Int64
    /// The limit of `hang`, and how often a connection asks whether it may go on.
    private static let longestHang: Duration = .seconds(60)
    private static let pollInterval: Duration = .milliseconds(20)

    private let demands = Mutex(MailSettings())

    init(inbox: Inbox, log: ProviderRequestLog, clock: @escaping @Sendable () -> Int64) {
        self.inbox = inbox
        self.log = log
        self.clock = clock
        responder = Responder(log: log)
    }

    var settings: MailSettings { demands.withLock { $0 } }

    /// How to answer a command, once that is not `hang` any more. Nil to close the connection.
    ///
    /// - Parameter isOpen: whether the client still waits.
    func answers(to command: String, while isOpen: () -> Bool) -> AnswerSettings? {
        let answers = responder.settings
        guard [.hang, .close].contains(answers.mode) else { return answers }
        record(command, nil)
        let end = MonotonicTime.now + Self.longestHang
        while responder.settings.mode == .hang, MonotonicTime.now < end, isOpen() {
            Thread.pause(for: Self.pollInterval)
        }
        let later = responder.settings
        return [.hang, .close].contains(later.mode) || !isOpen() ? nil : later
    }

    /// - Parameter command: a known command, without its arguments.
    func record(_ command: String, _ reply: SMTPReply?) {
        var record = ProviderRequest(method: command, path: Self.path)
        record.mode = responder.settings.mode
        record.status = reply?.code
        log.add(record)
    }

    /// Puts a message into the inbox, once for each recipient.
    func accept(_ delivery: SMTPSession.Delivery) -> SMTPReply {
        do throws(MalformedMail) {
            let mail = try Mail(parsing: delivery.content)
            for recipient in delivery.recipients { inbox.add(InboxMessage(mail, to: recipient, time: clock())) }
            return .done
        } catch {
            return .badMessage(error.description)
        }
    }

    /// Mail comes over SMTP.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? { nil }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("POST", "settings"):
            let changed = try MailSettings(try request.object())
            demands.withLock { $0 = changed }
            return [:]
        case ("POST", "faults"):
            responder.settings = try Self.faults(try request.object())
            return [:]
        default:
            let answer = try responder.control(request, at: path, below: Self.path, modes: AnswerMode.ofMail)
            guard let answer else { throw Self.unknownPath }
            return answer
        }
    }

    private static func faults(_ json: JSONObject) throws(HTTPRefusal) -> AnswerSettings {
        let settings = try AnswerSettings(json, modes: AnswerMode.ofMail, hasErrorCodes: false)
        guard settings.mode != .status || MailFault(settings) != nil else {
            throw .invalid("status: known are \(MailFault.allCases.map { "\($0.rawValue)" }.joined(separator: ", "))")
        }
        return settings
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found", "mail is received by SMTP; to control it: /mail/settings, /mail/faults, /mail/requests")
}

extension InboxMessage {
    fileprivate init(_ mail: Mail, to recipient: String, time: Int64) {
        self.init(channel: .email, to: recipient, text: mail.text, time: time)
        subject = mail.subject
        code = mail.code
        language = mail.language
    }
}
