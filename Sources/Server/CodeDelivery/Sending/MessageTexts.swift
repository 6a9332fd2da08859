package import Gatehouse
import POSIX

/// The templates with the values that all messages have in common.
struct MessageTexts: Sendable {
    let templates: MessageTemplates
    let app: String
    let domain: String?

    func sms(_ message: OutgoingMessage) -> (language: String, text: String) {
        templates.sms(values(message), for: message.acceptLanguage)
    }

    func mail(_ message: OutgoingMessage) -> MailText {
        templates.mail(values(message), for: message.acceptLanguage)
    }

    private func values(_ message: OutgoingMessage) -> MessageValues {
        MessageValues(app: app, domain: domain, content: message.content)
    }
}

extension Timestamp {
    package static var ofThisMachine: Timestamp { Timestamp(milliseconds: WallClock.millisecondsSince1970()) }
}
