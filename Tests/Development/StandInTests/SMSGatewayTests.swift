import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

@Suite("The gateway for text messages")
struct SMSGatewayTests {
    private let messages: MessagesFixture

    init() throws {
        messages = try MessagesFixture()
    }

    @Test("a signed notice is accepted, and has no code")
    func notice() throws {
        let body: JSONObject = [
            "type": "sms.notice", "timestamp": "2026-11-25T12:00:00Z",
            "data": [
                "to": "+447911123456", "country": "GB", "notice": "phone_changed", "language": "en",
                "text": "Your number was changed.",
            ],
        ]
        #expect(try messages.post(body).statusCode == 202)
        let message = try #require(messages.inbox.messages.first)
        #expect(message.code == nil && message.notice == "phone_changed")
    }

    private static let other = [UInt8](repeating: 7, count: 24)

    @Test("a signature of another key, or of another body, is refused with 401")
    func otherKey() throws {
        #expect(try messages.post(messages.body(), key: Self.other).statusCode == 401)
        #expect(try messages.post(messages.body(), signed: "{}").statusCode == 401)
        #expect(messages.inbox.messages.isEmpty)
    }

    @Test("each of several secrets is accepted, and the ones before are not")
    func secrets() throws {
        let secret = "whsec_" + Base64.encode(Self.other)
        let two = "whsec_\(Base64.encode([UInt8](repeating: 8, count: 64)))\n\(secret) "
        try messages.providers.order("/sms/settings", ["secret": .string(two)])
        #expect(try messages.post(messages.body(), key: Self.other).statusCode == 202)
        #expect(try messages.post(messages.body(), id: "msg_2").statusCode == 401)
    }

    @Test("a repeated message is accepted, and not delivered again")
    func repeated() throws {
        for _ in 0..<2 { #expect(try messages.post(messages.body()).statusCode == 202) }
        #expect(messages.inbox.messages.count == 1)
        #expect(try messages.post(messages.body(), id: "msg_2").statusCode == 202)
        #expect(messages.inbox.messages.count == 2)
    }

    @Test(
        "a message that is not as documented is refused with 400",
        arguments: [
            ("to", "13800138000"), ("to", "+0138"), ("to", 1), ("country", "cn"), ("code", "12345"), ("text", ""),
            ("text", "no code"), ("language", "zh_CN"), ("expiresIn", "600"), ("expiresIn", 0), ("more", 1),
            ("notice", "phone_changed"), ("text", .null), ("to", .null),
        ] as [(String, JSONValue)])
    func malformed(name: String, value: JSONValue) throws {
        let reply = try messages.post(messages.body { $0[name] = value })
        #expect(reply.statusCode == 400)
        #expect(!String(decoding: reply.body, as: UTF8.self).contains("138"))
        #expect(messages.inbox.messages.isEmpty)
    }

    @Test("a message without a member, of another type or content type is refused with 400")
    func incomplete() throws {
        for name in messages.body()["data"]?.object?.names ?? [] {
            #expect(try messages.post(messages.body { $0[name] = nil }).statusCode == 400, "\(name)")
        }
        var body = messages.body()
        body["type"] = "sms.other"
        #expect(try messages.post(body).statusCode == 400)
        #expect(try messages.post(messages.body(), ["content-type": "text/plain"]).statusCode == 400)
        #expect(messages.inbox.messages.isEmpty)
    }

    @Test("operators' limits apply to a number on demand: one in a minute, five in an hour, ten in a day")
    func limits() throws {
        try messages.providers.order("/sms/settings", ["limits": true])
        var sent = 0
        func send(_ number: String = MessagesFixture.number) throws -> HTTPReply {
            sent += 1
            return try messages.post(messages.body { $0["to"] = .string(number) }, id: "msg_\(sent)")
        }
        #expect(try send().statusCode == 202)
        let limited = try send()
        #expect(limited.statusCode == 429 && limited.retryAfter == "60")
        #expect(try send("+8613800138001").statusCode == 202)
        for _ in 0..<4 {
            messages.providers.advance(by: 60)
            #expect(try send().statusCode == 202)
        }
        messages.providers.advance(by: 60)
        #expect(try send().retryAfter == "\(3600 - 5 * 60)")
        messages.providers.advance(by: 3600)
        for _ in 0..<5 {
            #expect(try send().statusCode == 202)
            messages.providers.advance(by: 60)
        }
        messages.providers.advance(by: 3600)
        #expect(try send().statusCode == 429)
        messages.providers.advance(by: 86_400)
        #expect(try send().statusCode == 202)
    }

    @Test("limits do not apply to notices, and a limited message may be sent again")
    func limitedMessages() throws {
        try messages.providers.order("/sms/settings", ["limits": true])
        #expect(try messages.post(messages.body()).statusCode == 202)
        #expect(try messages.post(messages.body(), id: "msg_2").statusCode == 429)
        messages.providers.advance(by: 60)
        #expect(try messages.post(messages.body(), id: "msg_2").statusCode == 202)
        #expect(messages.inbox.messages.count == 2)
    }

    @Test("neither a record nor a log shows a number, a text or a code")
    func secrecy() throws {
        _ = try messages.post(messages.body())
        _ = try messages.post(messages.body { $0["country"] = "x" }, id: "msg_2")
        let listed = try messages.providers.text("/sms/requests")
        for text in messages.providers.logged + [listed] {
            #expect(!text.contains("138") && !text.contains("042137"), "\(text)")
        }
    }
}

extension HTTPReply {
    fileprivate var retryAfter: String? { fields.first { $0.name == "Retry-After" }?.value }
}
