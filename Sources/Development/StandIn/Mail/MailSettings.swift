import DevelopmentHTTP
import JSON

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
