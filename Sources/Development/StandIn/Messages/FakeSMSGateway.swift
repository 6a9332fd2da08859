import DevelopmentHTTP
import JSON
import Synchronization

/// Stands in for the operator's gateway for text messages, which `SMS_URL` names.
final class FakeSMSGateway: ProviderKind {
    private static let path = "/sms"

    private let responder: Responder
    private let inbox: Inbox
    private let settings: Mutex<SMSSettings>
    private let history = Mutex(SMSHistory())

    init(keys: WebhookKeys, inbox: Inbox, log: ProviderRequestLog) {
        responder = Responder(log: log)
        self.inbox = inbox
        settings = Mutex(SMSSettings(keys: keys))
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.method == "POST", path.isEmpty else { return nil }
        return responder.answer(request) { [self] _ in ProviderReply(reply: reply(to: request, now: now)) }
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
