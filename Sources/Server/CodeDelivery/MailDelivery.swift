package import Curl
package import Gatehouse
import JOSE
import OpenSSL
package import POSIX

/// The operator's mail server, and what it needs to take a message.
package struct MailServerSettings: Sendable {
    package let server: SMTPServer
    /// Nil for a server that asks for no login.
    package let login: SMTPLogin?
    package let from: MailSender
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?
    /// Overrides that a server on this machine is spoken to without TLS at an `smtp://` address: for tests.
    package var demandsTLS: Bool?

    package init(server: SMTPServer, login: SMTPLogin?, from: MailSender) {
        (self.server, self.login, self.from) = (server, login, from)
    }

    /// - Parameter timeout: for everything until the server has taken the message.
    func client(timeout: Duration) -> SMTPClient {
        var client = SMTPClient(server: server, login: login, helloName: from.domain)
        client.timeout = timeout
        client.authorities = authorities
        if let demandsTLS { client.demandsTLS = demandsTLS }
        return client
    }
}

/// Sends mails by the operator's mail server (SMTP).
package struct MailDelivery: MessageSender {
    private let settings: MailServerSettings
    private let templates: MessageTemplates
    private let app: String
    private let domain: String?
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
        (self.settings, self.templates, self.app, self.domain) = (settings, templates, app, domain)
        delivery = Delivery(channel: .email, gate: gate, report: report)
        (self.timeLimit, self.now) = (timeLimit, now)
    }

    package func send(_ message: OutgoingMessage, requestID: String?) throws(DeliveryFault) {
        try delivery.perform(requestID: requestID) { () throws(DeliveryFault) in
            let values = MessageValues(app: app, domain: domain, content: message.content)
            let mail = MailMessage(
                try templates.mail(values, for: message.acceptLanguage), from: settings.from, to: message.to.text,
                date: now(), id: Self.newID(),
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

extension DeliveryFault {
    init(_ fault: SMTPFault) {
        switch fault {
        case .refused(let step, let reply): self = Self.of(reply, to: step, "\(fault)")
        case .noLogin: self = .misconfigured("\(fault)")
        case .invalidAddress: self = .refused("\(fault)")
        case .transport(let fault): self.init(fault)
        }
    }

    /// A reply of 500 and more is final. Until the recipient is named, it is about this installation and its settings. Some
    /// mail services announce the end of a day's quota with such a reply.
    private static func of(_ reply: SMTPReply, to step: SMTPStep, _ text: String) -> DeliveryFault {
        switch (step, reply.code) {
        // Greylisting comes before the message.
        case (.message, ...499) where !reply.mentionsLimit: return .failed(text)
        case (_, ...499): return reply.mentionsLimit ? .limited(text) : .unavailable(text)
        // 530 and 535 are "authentication required" and "credentials invalid" at each step (RFC 4954).
        case (_, 530), (_, 534), (_, 535), (_, 538): return .misconfigured(text)
        case _ where reply.mentionsLimit: return .limited(text)
        case (.recipient, _), (.data, _), (.message, _): return .refused(text)
        default: return .misconfigured(text)
        }
    }
}

/// The address that mails come from, with the name that recipients see: `MAIL_FROM`.
package struct MailSender: Sendable, Equatable {
    package let name: String?
    package let address: String
    /// The part of the address after its `@`.
    let domain: String

    private static let longestName = 200

    /// Nil unless the text is `address`, `<address>`, `Name <address>` or `"Name" <address>`. A control character, such as the
    /// end of a line, is refused everywhere: it could begin another header field.
    package init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        guard let (name, address) = Self.parts(of: Self.trimmed(text[...])) else { return nil }
        guard SMTPAddress.isValid(address), let at = address.lastIndex(of: "@") else { return nil }
        self.name = name.isEmpty ? nil : name
        self.address = address
        domain = String(address[address.index(after: at)...])
    }

    private static func parts(of text: Substring) -> (name: String, address: String)? {
        guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else { return ("", String(text)) }
        let address = text[text.index(after: open)...].dropLast()
        guard let name = unquoted(trimmed(text[..<open])), name.utf8.count <= longestName else { return nil }
        return (name, String(address))
    }

    /// The name without its quotation marks. Nil if one is missing, or if the name has an angle bracket outside of them.
    private static func unquoted(_ name: Substring) -> String? {
        guard name.hasPrefix("\"") else { return name.contains { "<>\"".contains($0) } ? nil : String(name) }
        var (text, isEscaped) = ("", false)
        for (index, character) in zip(name.indices, name).dropFirst() {
            if character == "\"", !isEscaped { return name.index(after: index) == name.endIndex ? text : nil }
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { text.append(character) }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " }
        return start[..<(start.lastIndex { $0 != " " }.map(start.index(after:)) ?? start.startIndex)]
    }
}
