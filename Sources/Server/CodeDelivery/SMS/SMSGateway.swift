import Curl
package import Gatehouse
import JOSE
import OpenSSL
package import POSIX
import StandardWebhooks

/// Sends text messages by a signed POST (Standard Webhooks) to the operator's gateway, which knows the providers of SMS.
package struct SMSGateway: MessageSender {
    private let settings: SMSGatewaySettings
    private let texts: MessageTexts
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
        self.settings = settings
        texts = MessageTexts(templates: templates, app: app, domain: domain)
        delivery = Delivery(channel: .phone, gate: gate, report: report)
        self.timeLimit = timeLimit
        self.country = country
        self.now = now
    }

    package func send(_ message: OutgoingMessage, requestID: String?) throws(DeliveryFault) {
        try delivery.perform(requestID: requestID) { () throws(DeliveryFault) in
            let now = now()
            let body = SMSBody(message, texts.sms(message), country: country(message.to.text), now: now).bytes
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
