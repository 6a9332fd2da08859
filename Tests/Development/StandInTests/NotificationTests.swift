import Curl
import DevelopmentHTTP
import JOSE
import JSON
import POSIX
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import StandIn

@Suite("Notifications of Apple's servers")
struct NotificationTests {
    private static let noon: Int64 = 1_760_000_000

    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func notify(_ order: JSONObject) throws -> HTTPReply {
        try #require(standIn.reply("POST", "/notify", order.description))
    }

    private func claims(_ order: JSONObject) throws -> JSONObject {
        let json = try #require(try JSONValue(parsing: try notify(order).body).object)
        #expect(json.names == ["payload"])
        return try standIn.claims(of: json["payload"])
    }

    private func event(_ order: JSONObject) throws -> JSONObject {
        try #require(try JSONValue(parsing: claims(order)["events"]?.string ?? "").object)
    }

    @Test("about an address contain it", arguments: ["email-enabled", "email-disabled"])
    func email(type: String) throws {
        let hidden = try event(["type": .string(type), "sub": "001.0a.0930"])
        #expect(hidden["email"]?.string?.hasSuffix("@privaterelay.appleid.com") == true)
        #expect(hidden["is_private_email"] == "true")
        let order: JSONObject = ["type": .string(type), "sub": "ann", "email": "a@b.c", "is_private_email": false]
        #expect(try event(order)["email"] == "a@b.c")
        #expect(try event(order)["is_private_email"] == false)
    }

    @Test("have their event in three shapes, with its time in two units")
    func shapes() throws {
        let expected: JSONObject = ["type": "account-delete", "sub": "ann", "event_time": .integer(Self.noon)]
        func events(_ shape: JSONValue) throws -> JSONValue? {
            try claims(["type": "account-delete", "sub": "ann", "shape": shape, "time": "s"])["events"]
        }
        #expect(try events("object") == .object(expected))
        #expect(try events("array") == [.object(expected)])
        #expect(try JSONValue(parsing: try #require(events("string")?.string)) == .object(expected))
    }

    @Test("can be forged: claims and header are replaced, and null removes one")
    func changes() throws {
        let order: JSONObject = [
            "type": "x", "sub": "ann", "aud": "com.example.web", "jti": "same",
            "claims": ["iss": "https://x.example", "exp": nil], "header": ["typ": "JWT"],
        ]
        let claims = try claims(order)
        #expect(claims["jti"] == "same" && claims["aud"] == "com.example.web")
        #expect(claims["iss"] == "https://x.example" && claims["exp"] == nil)
        let payload = try JSONValue(parsing: try notify(order).body).object?["payload"]?.string
        #expect(try CompactJWS(try #require(payload)).type == "JWT")
    }

    @Test("are posted as JSON, and the answer is returned")
    func delivery() throws {
        let receiver = try Receiver()
        let reply = try notify(["type": "x", "sub": "ann", "to": .string(receiver.url)])
        let json = try #require(try JSONValue(parsing: reply.body).object)
        #expect(json["status"] == 401)
        #expect(json["answer"] == ["code": "invalid"])
        let received = try #require(receiver.requests.first)
        #expect(received.method == "POST" && received.path == "/notifications")
        #expect(received.contentType == "application/json")
        #expect(try JSONValue(parsing: received.body).object == ["payload": json["payload"] ?? nil])
    }

    @Test("are not posted over plain HTTP to other machines, and a missing receiver is an error")
    func undeliverable() throws {
        for address in ["http://example.com/", "http://127.0.0.1:1/", "ftp://127.0.0.1/", "x"] {
            let reply = try notify(["type": "x", "sub": "ann", "to": .string(address)])
            #expect(reply.status == "502 Bad Gateway")
        }
    }
}

/// A developer's server that records every notification and refuses it.
final class Receiver: Sendable {
    let url: String
    private let received: Received

    private final class Received: Sendable {
        let requests = Mutex<[HTTPRequest]>([])
    }

    init() throws {
        let received = Received()
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        let server = HTTPServer("receiver", on: listener, advice: "") { request in
            received.requests.withLock { $0.append(request) }
            return .reply(HTTPReply(status: "401 Unauthorized", json: ["code": "invalid"]))
        }
        _ = try Thread.spawn(name: "receiver") { try? server.run() }
        url = "http://127.0.0.1:\(server.port)/notifications"
        self.received = received
    }

    var requests: [HTTPRequest] { received.requests.withLock { $0 } }
}
