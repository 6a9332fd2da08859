import DevelopmentHTTP
import JSON
import Synchronization

/// Stands in for the operator's receiver for one-tap sign-in, which `NUMBER_URL` names, and for the carrier that has given the
/// token to the app.
final class FakeNumberReceiver: Party {
    private static let path = "/number"
    /// Of a token, in seconds. Carriers allow a minute or two.
    private static let lifetime: Int64 = 120
    private static let capacity = 10_000

    private struct Token {
        let gateway: String
        let answer: JSONObject
        let end: Int64
    }

    private struct State {
        var keys: WebhookKeys
        var tokens: [String: Token] = [:]
    }

    private let responder: Responder
    private let state: Mutex<State>

    init(keys: WebhookKeys, log: RequestLog) {
        responder = Responder(log: log)
        state = Mutex(State(keys: keys))
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.method == "POST", path.isEmpty else { return nil }
        return responder.answer(request) { [self] _ in PartyReply(reply: reply(to: request, now: now)) }
    }

    private func reply(to request: HTTPRequest, now: Int64) -> HTTPReply {
        do throws(HTTPRefusal) {
            _ = try state.withLock { $0.keys }.verify(request, now: now)
            let (gateway, text) = try Self.question(request)
            // A token is good for one question, whatever the answer.
            let token = state.withLock { $0.tokens.removeValue(forKey: text) }
            guard let token, token.gateway == gateway, now <= token.end else { return .ok(["error": "invalid_token"]) }
            return .ok(token.answer)
        } catch {
            return error.reply
        }
    }

    /// Refuses unknown members, because a receiver is written by this format.
    private static func question(_ request: HTTPRequest) throws(HTTPRefusal) -> (gateway: String, token: String) {
        guard request.contentType?.hasPrefix("application/json") == true else {
            throw .invalid("content-type: application/json")
        }
        let json = try request.object()
        guard json["type"]?.string == "number.exchange", Set(json.names) == ["type", "timestamp", "data"],
            json["timestamp"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil,
            let data = json["data"]?.object, Set(data.names) == ["gateway", "token"],
            let gateway = data["gateway"]?.string, let token = data["token"]?.string
        else { throw .invalid("not as documented: type, timestamp, and data with gateway and token") }
        return (gateway, token)
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("POST", "mint"): return try mint(try request.object(), now: now)
        case ("POST", "settings"):
            guard let keys = try request.object()["secret"]?.string.flatMap(WebhookKeys.init) else {
                throw HTTPRefusal.invalid("secret: whsec_ and base64 of 24 to 64 bytes")
            }
            state.withLock { $0.keys = keys }
            return [:]
        default:
            let answer = try responder.control(
                request, at: path, below: Self.path, modes: AnswerMode.ofSMS, hasErrorCodes: false)
            guard let answer else {
                throw HTTPRefusal(
                    "404 Not Found",
                    "POST /number; to control it: /number/mint, /number/settings, /number/faults, "
                        + "/number/requests")
            }
            return answer
        }
    }

    /// What an app posts to `/api/auth/number`.
    private func mint(_ json: JSONObject, now: Int64) throws -> JSONObject {
        var order = OrderReader(json)
        let gateway = order.text("gateway") ?? "aliyun"
        let phone = order.text("phone") ?? "+86138" + RandomText.digits(8)
        let answer = order.object("answer") ?? ["phone": .string(phone)]
        let isExpired = order.flag("expired") ?? false
        try order.end("known are the texts phone and gateway, the flag expired, and the object answer of the receiver")
        let token = RandomText.text(64)
        state.withLock { state in
            if state.tokens.count >= Self.capacity { state.tokens = state.tokens.filter { $0.value.end >= now } }
            state.tokens[token] = Token(
                gateway: gateway, answer: answer, end: isExpired ? now - 1 : now + Self.lifetime)
        }
        return ["gateway": .string(gateway), "token": .string(token)]
    }
}
