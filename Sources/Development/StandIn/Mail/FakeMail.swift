import DevelopmentHTTP
import JSON
import POSIX
import Synchronization

/// What all connections of the mail server share, and the endpoints that control it.
final class FakeMail: Party {
    private static let path = "/mail"

    private let inbox: Inbox
    private let responder: Responder
    private let log: RequestLog
    private let clock: @Sendable () -> Int64
    /// The limit of `hang`, and how often a connection asks whether it may go on.
    private static let longestHang: Duration = .seconds(60)
    private static let pollInterval: Duration = .milliseconds(20)

    private let demands = Mutex(MailSettings())

    init(inbox: Inbox, log: RequestLog, clock: @escaping @Sendable () -> Int64) {
        (self.inbox, self.log, self.clock) = (inbox, log, clock)
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
        var record = RequestRecord(method: command, path: Self.path)
        record.fault = responder.settings.mode.name
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

/// What the mail server demands: the body of `POST /mail/settings`.
struct MailSettings: Equatable, Sendable {
    /// Nil to accept any client, with any credentials or none.
    private(set) var credentials: MailCredentials?

    init() {}

    /// Refuses unknown members. An empty object removes the credentials.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        guard !json.names.isEmpty else { return }
        guard json.names.count == 2, let username = json["username"]?.string, let password = json["password"]?.string
        else { throw .invalid("known are the texts username and password, both or neither") }
        credentials = MailCredentials(username: username, password: password)
    }
}

struct MailCredentials: Equatable, Sendable {
    let username: String
    let password: String
}

/// When a status of `POST /mail/faults` is sent.
enum MailFault: Int64, CaseIterable {
    /// At the greeting, and at each command of an open connection.
    case serviceNotAvailable = 421
    /// At `RCPT`.
    case mailboxBusy = 450
    case unknownMailbox = 550
    /// At `AUTH`. A client that does not authenticate gets 530 at `MAIL`.
    case badCredentials = 535
    /// After the message.
    case mailboxFull = 552

    /// Nil unless the settings ask for one.
    init?(_ settings: AnswerSettings) {
        guard settings.mode == .status else { return nil }
        self.init(rawValue: settings.status)
    }
}
