import Curl
package import Gatehouse
import JOSE
import OpenSSL
package import POSIX

/// Sends mails by the operator's mail server (SMTP).
package struct MailServer: MessageSender {
    private let settings: MailServerSettings
    private let texts: MessageTexts
    private let delivery: Delivery
    private let timeLimit: Duration
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - app: the name of the app, for the texts.
    ///   - domain: for templates that name it.
    ///   - gate: limits how many requests wait for the mail server.
    ///   - report: called once for each message.
    package init(
        settings: MailServerSettings, templates: MessageTemplates, app: String, domain: String? = nil, gate: CallGate,
        timeLimit: Duration = DeliveryLimits.time, now: @escaping @Sendable () -> Timestamp = { .ofThisMachine },
        report: @escaping DeliveryReport.Handler = { _, _ in }
    ) {
        self.settings = settings
        texts = MessageTexts(templates: templates, app: app, domain: domain)
        delivery = Delivery(channel: .email, gate: gate, report: report)
        self.timeLimit = timeLimit
        self.now = now
    }

    package func send(_ message: OutgoingMessage, requestID: String?) throws(DeliveryFault) {
        try delivery.perform(requestID: requestID) { () throws(DeliveryFault) in
            let mail = MailMessage(
                texts.mail(message), from: settings.from, to: message.to.text, date: now(), id: Self.newID(),
                boundary: Self.newID())
            try converting { () throws(SMTPFault) in
                try client.send(mail.bytes, from: settings.from.address, to: message.to.text)
            }
        }
    }

    /// Whether the mail server can be reached with a valid certificate, and accepts the login. No message is sent.
    package func probe() throws(DeliveryFault) {
        try converting { () throws(SMTPFault) in try client.probe() }
    }

    private var client: SMTPClient { settings.client(timeout: timeLimit - SMTPClient.longestQuit) }

    private func converting(_ body: () throws(SMTPFault) -> Void) throws(DeliveryFault) {
        do throws(SMTPFault) { try body() } catch { throw DeliveryFault(error) }
    }

    private static func newID() -> String { Base64URL.encode(SecureRandom.bytes(18)) }
}
