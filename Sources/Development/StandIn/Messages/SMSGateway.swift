import DevelopmentHTTP
import JSON
import StandardWebhooks
import Synchronization

/// Stands in for the operator's gateway for text messages, which `SMS_URL` names.
final class FakeSMSGateway: Party {
    private static let path = "/sms"

    private let responder: Responder
    private let inbox: Inbox
    private let settings: Mutex<SMSSettings>
    private let history = Mutex(SMSHistory())

    init(keys: WebhookKeys, inbox: Inbox, log: RequestLog) {
        responder = Responder(log: log)
        self.inbox = inbox
        settings = Mutex(SMSSettings(keys: keys))
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.method == "POST", path.isEmpty else { return nil }
        return responder.answer(request) { [self] _ in PartyReply(reply: reply(to: request, now: now)) }
    }

    private func reply(to request: HTTPRequest, now: Int64) -> HTTPReply {
        let settings = settings.withLock { $0 }
        do throws(HTTPRefusal) {
            let id = try settings.keys.verify(request, now: now)
            let order = try SMSOrder(request)
            let outcome = history.withLock { $0.accept(order, id: id, now: now, hasLimits: settings.hasLimits) }
            if outcome == .new { inbox.add(InboxMessage(order, time: now)) }
            return Self.reply(outcome)
        } catch {
            return error.reply
        }
    }

    private static func reply(_ outcome: SMSHistory.Outcome) -> HTTPReply {
        switch outcome {
        case .new: HTTPReply(status: "202 Accepted", json: [:])
        case .repeated: HTTPReply(status: "202 Accepted", json: ["repeated": true])
        case .limited(let seconds):
            HTTPReply.refusal("429 Too Many Requests", "isv.BUSINESS_LIMIT_CONTROL").adding("Retry-After", "\(seconds)")
        }
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        guard (request.method, path) != ("POST", "settings") else {
            var changed = settings.withLock { $0 }
            try changed.take(try request.object())
            settings.withLock { $0 = changed }
            return [:]
        }
        let answer = try responder.control(
            request, at: path, below: Self.path, modes: AnswerMode.ofSMS, hasErrorCodes: false)
        guard let answer else { throw Self.unknownPath }
        return answer
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found", "POST /sms; to control it: /sms/settings, /sms/faults, /sms/requests")
}

extension InboxMessage {
    fileprivate init(_ order: SMSOrder, time: Int64) {
        self.init(channel: .phone, to: order.to, text: order.text, time: time)
        code = order.code
        notice = order.notice
        language = order.language
    }
}

/// What the gateway demands: the body of `POST /sms/settings`.
struct SMSSettings: Sendable {
    var keys: WebhookKeys
    /// Whether a number gets one code in a minute, five in an hour and ten in a day, as operators in China limit it.
    var hasLimits = false

    init(keys: WebhookKeys) {
        self.keys = keys
    }

    /// A member that is left out does not change.
    mutating func take(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        if let text = order.text("secret") {
            guard let keys = WebhookKeys(text) else { throw .invalid("secret: whsec_ and base64 of 24 to 64 bytes") }
            self.keys = keys
        }
        hasLimits = order.flag("limits") ?? hasLimits
        try order.end("known are the text secret and the flag limits")
    }
}

/// The secrets with which the gateway verifies messages.
package struct WebhookKeys: Sendable {
    /// The secret of the stand-in, unless another one is set.
    package static let usualSecret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ="

    private let secrets: WebhookSecrets

    /// The same of the receiver for one-tap sign-in.
    package static let usualNumberSecret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LW51bWJlci1zZWNyZXQ="

    package static var usual: WebhookKeys { valid(usualSecret) }
    package static var usualOfNumbers: WebhookKeys { valid(usualNumberSecret) }

    private static func valid(_ text: String) -> WebhookKeys {
        guard let keys = WebhookKeys(text) else { preconditionFailure("the usual secret is not valid") }
        return keys
    }

    /// Nil unless the text consists of one or more secrets, separated by spaces or newlines.
    package init?(_ text: String) {
        guard let secrets = try? WebhookSecrets(text) else { return nil }
        self.secrets = secrets
    }

    /// - Returns: the id of the message.
    func verify(_ request: HTTPRequest, now: Int64) throws(HTTPRefusal) -> String {
        do throws(WebhookFault) {
            try secrets.verify(header: { request[$0] }, body: request.body, now: now)
        } catch {
            throw HTTPRefusal("401 Unauthorized", Self.explanation(error))
        }
        return request[WebhookHeader.id] ?? ""
    }

    private static func explanation(_ fault: WebhookFault) -> String {
        switch fault {
        case .missingHeader: "webhook-id, webhook-timestamp and webhook-signature are required"
        case .timestamp: "webhook-timestamp: not a number"
        case .tooOldOrNew: "webhook-timestamp: more than \(WebhookSecrets.tolerance) seconds from now"
        case .signature: "webhook-signature: not of this message and a known secret"
        }
    }
}
