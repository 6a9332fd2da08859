import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

/// The stand-ins, and the messages of a sender that signs them.
struct MessagesFixture {
    static let key = Array("gatehouse-development-sms-secret".utf8)
    static let number = "+8613800138000"

    let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    var inbox: Inbox { providers.service.inbox }

    func body(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var data: JSONObject = [
            "to": .string(Self.number), "country": "CN", "code": "042137", "language": "zh",
            "text": "验证码 042137", "expiresIn": 600,
        ]
        change(&data)
        return ["type": "sms.code", "timestamp": "2026-11-25T12:00:00Z", "data": .object(data)]
    }

    /// - Parameters:
    ///   - signed: what is signed, if it is not the body.
    ///   - fields: replace header fields; an empty one is left out.
    func post(
        _ body: JSONObject, id: String = "msg_1", key: [UInt8] = Self.key, signed: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> HTTPReply {
        let time = fields["webhook-timestamp"] ?? "\(providers.now)"
        let tag = HMACSHA256Key(key).authenticate(Array("\(id).\(time).\(signed ?? body.description)".utf8))
        let usual = [
            "content-type": "application/json", "webhook-id": id, "webhook-timestamp": time,
            "webhook-signature": "v1,\(Base64.encode(tag))",
        ]
        let all = usual.merging(fields) { $1 }.filter { !$0.value.isEmpty }
        return try #require(providers.reply("POST", "/sms", body.description, fields: all))
    }
}
