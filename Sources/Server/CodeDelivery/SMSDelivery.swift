import Curl
package import Gatehouse
import JOSE
import JSON
import OpenSSL
package import POSIX
package import StandardWebhooks

/// Where the operator's SMS gateway is, and the secrets that it verifies messages with.
package struct SMSGatewaySettings: Sendable {
    /// https, or http on this machine.
    package let url: String
    package let secrets: WebhookSecrets
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?

    package init(url: String, secrets: WebhookSecrets) {
        (self.url, self.secrets) = (url, secrets)
    }
}

/// Sends text messages by a signed POST (Standard Webhooks) to the operator's gateway, which knows the providers of SMS.
package struct SMSDelivery: MessageSender {
    private let settings: SMSGatewaySettings
    private let templates: MessageTemplates
    private let app: String
    private let domain: String?
    private let delivery: Delivery
    private let timeLimit: Duration
    private let country: @Sendable (_ number: String) -> String?
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - app: the name of the app, for the texts.
    ///   - domain: binds a code to a web site and its apps by the last line of the text; nil to leave that line out.
    ///   - country: the ISO code for a number in E.164; nil if it is unknown.
    ///   - gate: limits how many requests wait for the gateway.
    ///   - report: called once for each message.
    package init(
        settings: SMSGatewaySettings, templates: MessageTemplates, app: String, domain: String? = nil,
        country: @escaping @Sendable (_ number: String) -> String?, gate: CallGate,
        timeLimit: Duration = DeliveryLimits.time, now: @escaping @Sendable () -> Timestamp = { .ofThisMachine },
        report: @escaping DeliveryReport.Handler = { _, _ in }
    ) {
        (self.settings, self.templates, self.app, self.domain) = (settings, templates, app, domain)
        delivery = Delivery(channel: .phone, gate: gate, report: report)
        (self.timeLimit, self.country, self.now) = (timeLimit, country, now)
    }

    package func send(_ message: OutgoingMessage, requestID: String?) throws(DeliveryFault) {
        try delivery.perform(requestID: requestID) { () throws(DeliveryFault) in
            let now = now()
            let values = MessageValues(app: app, domain: domain, content: message.content)
            let sms = try templates.sms(values, for: message.acceptLanguage)
            let body = SMSBody(message, sms, country: country(message.to.text), now: now).bytes
            let headers = settings.secrets.headers(id: Self.newID(), timestamp: now.seconds, body: body)
            try post(body, headers)
        }
    }

    /// Whether the gateway can be reached, and has a valid certificate. It gets no request, since gateways have no kind of
    /// message that is certain to have no effect.
    package func probe() throws(DeliveryFault) {
        do throws(HTTPFault) { try client.connect(settings.url) } catch { throw DeliveryFault(error) }
    }

    private func post(_ body: [UInt8], _ headers: [(String, String)]) throws(DeliveryFault) {
        let response: HTTPResponse
        do throws(HTTPFault) { response = try client.post(settings.url, json: body, headers: headers) } catch {
            throw DeliveryFault(error)
        }
        if let fault = DeliveryFault(status: response.status) { throw fault }
    }

    private var client: HTTPClient {
        var client = HTTPClient(timeout: timeLimit, authorities: settings.authorities)
        client.cutsLongBodies = true
        return client
    }

    /// Tells the receiver whether it has had this message before.
    private static func newID() -> String { "msg_" + Base64URL.encode(SecureRandom.bytes(18)) }
}

/// The JSON document that the gateway gets.
struct SMSBody {
    let bytes: [UInt8]

    init(_ message: OutgoingMessage, _ sms: (language: String, text: String), country: String?, now: Timestamp) {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("type", message.content.type)
            json.member("timestamp", now.description)
            json.member("data") { data in
                data.member("to", message.to.text)
                data.member("country", country)
                message.content.write(to: &data)
                data.member("language", sms.language)
                data.member("text", sms.text)
                if let lifetime = message.content.lifetime { data.member("expiresIn", lifetime.components.seconds) }
            }
        }
        bytes = json.finish()
    }
}

extension OutgoingMessage.Content {
    fileprivate var type: String {
        switch self {
        case .code: "sms.code"
        case .notice: "sms.notice"
        }
    }

    fileprivate var lifetime: Duration? {
        switch self {
        case .code(_, let lifetime): lifetime
        case .notice: nil
        }
    }

    /// Gateways whose texts are templates of their provider need the parts without the text.
    fileprivate func write(to data: inout JSONObjectWriter) {
        switch self {
        case .code(let code, _): data.member("code", code)
        case .notice(let notice): data.member("notice", notice.rawValue)
        }
    }
}

extension DeliveryFault {
    /// What the status of the gateway's answer means; nil if it has accepted the message.
    init?(status: Int) {
        switch status {
        case 200...299: return nil
        // A proxy has not heard from the gateway in time.
        case 502, 504: self = .timeout
        case 429: self = .limited("the gateway answers status 429")
        case 401: self = .misconfigured("the gateway answers status 401: it refuses the signature, or its time")
        case 403: self = .misconfigured("the gateway answers status 403: its own log says what it refuses")
        case 400...499: self = .refused("the gateway answers status \(status)")
        case 300...399:
            self = .failed("the gateway answers status \(status): a redirect is not followed, correct the URL")
        default: self = .failed("the gateway answers status \(status)")
        }
    }

    /// A connection that is lost before the answer leaves open what has arrived.
    init(_ fault: HTTPFault) {
        switch fault.stage {
        case .timeout, .answer: self = .timeout
        case .name, .connection, .security: self = .unavailable("\(fault)")
        }
    }
}
