import Curl
package import Gatehouse
import JOSE
import JSON
import OpenSSL
import POSIX
package import StandardWebhooks

/// One-tap sign-in: a signed question (Standard Webhooks) to the operator's receiver, which knows the vendors and has their keys.
///
/// Nothing signs the answer: who answers at this address signs in as anybody. So it is https, or on this machine.
package struct NumberReceiver: NumberExchange {
    private let settings: NumberReceiverSettings
    private let calls: ProviderCalls
    private let now: @Sendable () -> Int64

    /// - Parameter now: in seconds since 1970.
    package init(
        _ settings: NumberReceiverSettings, calls: ProviderCalls,
        now: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 }
    ) {
        (self.settings, self.calls, self.now) = (settings, calls, now)
    }

    package func number(for token: NumberToken, in request: Verification) throws(Refusal) -> PhoneNumber {
        try calls.run(at: settings.url, for: .phone, in: request, spending: token.token) {
            (series) throws(CallFault) in try ask(about: token, series)
        }
    }

    /// Whether the receiver accepts the signature. A made-up token has no effect at any vendor.
    package func check() -> ProviderCheck {
        calls.probe(at: settings.url) { (series) throws(CallFault) in
            _ = try ask(
                about: NumberToken(gateway: ProviderCheck.madeUpCode, token: ProviderCheck.madeUpCode), series)
            return .unclear(code: "a number for a token that no carrier has made")
        }
    }

    private func ask(about token: NumberToken, _ series: CallSeries) throws(CallFault) -> PhoneNumber {
        let now = now()
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("type", "number.exchange")
            json.member("timestamp", Timestamp(seconds: now).description)
            json.member("data") { data in
                data.member("gateway", token.gateway)
                data.member("token", token.token)
            }
        }
        let body = json.finish()
        let headers = settings.secrets.headers(
            id: "msg_" + Base64URL.encode(SecureRandom.bytes(18)), timestamp: now, body: body)
        return try NumberAnswer(series.post(json: body, headers)).number
    }
}

/// Where the operator's receiver is, and the secrets with which it verifies questions.
package struct NumberReceiverSettings: Sendable {
    /// https, or http on this machine.
    package let url: String
    package let secrets: WebhookSecrets

    package init(url: String, secrets: WebhookSecrets) {
        (self.url, self.secrets) = (url, secrets)
    }
}

/// What the receiver answers: a number, or that the vendor does not accept the token. Everything else proves nothing.
struct NumberAnswer {
    let number: PhoneNumber

    private static let invalidToken = "invalid_token"

    init(_ response: HTTPResponse) throws(CallFault) {
        switch response.status {
        // Before the body, because gateways in between answer 401 with this very word (RFC 6750).
        case 401: throw .misconfigured(code: "status 401: it refuses the signature, or its time")
        case 403: throw .misconfigured(code: "status 403: its own log says what it refuses")
        case 200...299, 400...499: break
        default: throw .unavailable("the receiver answers status \(response.status)")
        }
        // A member that is null is none.
        let members = (try? JSONValue(parsing: response.body))?.object
            .map { JSONObject($0.members.filter { !$0.1.isNull }) }
        if members?["error"]?.string == Self.invalidToken, members?["phone"] == nil { throw .credential(.code) }
        guard response.status < 300 else { throw .unavailable("the receiver answers status \(response.status)") }
        // Without separators, which `PhoneNumber` would remove: what a receiver means by them is not known.
        guard let members, members["error"] == nil, let text = members["phone"]?.string,
            text.wholeMatch(of: /\+[1-9][0-9]{6,14}/) != nil, let number = try? PhoneNumber(ofAnyKind: text)
        else {
            throw .unavailable("the receiver's answer has neither a phone in E.164 nor the error \(Self.invalidToken)")
        }
        self.number = number
    }
}
