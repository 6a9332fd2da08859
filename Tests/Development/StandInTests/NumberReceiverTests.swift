import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

@Suite("The receiver for one-tap sign-in")
struct NumberReceiverTests {
    private static let key = Array("gatehouse-development-number-secret".utf8)
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private func ask(
        _ token: JSONObject, key: [UInt8] = Self.key, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> HTTPReply {
        var body: JSONObject = [
            "type": "number.exchange", "timestamp": "2026-11-25T12:00:00.000Z", "data": .object(token),
        ]
        change(&body)
        let tag = HMACSHA256Key(key).authenticate(Array("msg_1.\(providers.now).\(body)".utf8))
        let fields = [
            "content-type": "application/json", "webhook-id": "msg_1", "webhook-timestamp": "\(providers.now)",
            "webhook-signature": "v1,\(Base64.encode(tag))",
        ]
        return try #require(providers.reply("POST", "/number", body.description, fields: fields))
    }

    private func text(_ reply: HTTPReply) -> String { String(decoding: reply.body, as: UTF8.self) }

    @Test("a token gives its number once, within two minutes, and to the gateway that it was made for")
    func once() throws {
        let token = try providers.order("/number/mint", ["phone": "+8613800138000"])
        #expect(text(try ask(token)).contains("+8613800138000"))
        #expect(text(try ask(token)) == #"{"error":"invalid_token"}"#)
        var other = try providers.order("/number/mint", ["gateway": "jpush"])
        #expect(other["gateway"] == "jpush")
        other["gateway"] = "aliyun"
        let expired = try providers.order("/number/mint", ["expired": true])
        let late = try providers.order("/number/mint")
        for token in [other, expired] { #expect(text(try ask(token)).contains("invalid_token")) }
        providers.advance(by: 121)
        #expect(text(try ask(late)).contains("invalid_token"))
    }

    @Test("a question that is not signed, or not as documented, is refused, and uses no token up")
    func refused() throws {
        let token = try providers.order("/number/mint", ["answer": ["phone": 1]])
        #expect(try ask(token, key: [UInt8](repeating: 7, count: 24)).statusCode == 401)
        #expect(try ask(token) { $0["type"] = "sms.code" }.statusCode == 400)
        #expect(try ask(token) { $0["more"] = 1 }.statusCode == 400)
        #expect(try ask(["gateway": "aliyun"]).statusCode == 400)
        #expect(text(try ask(token)) == #"{"phone":1}"#, "the answer that the test has ordered")
        let logged = providers.logged + [try providers.text("/number/requests")]
        #expect(logged.allSatisfy { !$0.contains(token["token"]?.string ?? "none") })
    }

    @Test("an unknown member of an order is refused with the known ones")
    func orders() throws {
        for (path, body) in [("mint", #"{"number":"1"}"#), ("settings", #"{"secret":"x"}"#), ("other", "{}")] {
            #expect(try #require(providers.reply("POST", "/number/" + path, body)).statusCode ?? 0 >= 400, "\(path)")
        }
    }
}
