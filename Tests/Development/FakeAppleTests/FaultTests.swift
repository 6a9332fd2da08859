import Curl
import JSON
import POSIX
import Sockets
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import FakeApple

@Suite("Faults on demand")
struct FaultTests {
    private let apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private func order(_ json: JSONObject) throws {
        #expect(try #require(apple.reply("POST", "/faults", json.description)).status == "200 OK")
    }

    private func isGood(_ reply: HTTPReply?) -> Bool {
        guard let body = reply?.body, reply?.status == "200 OK" else { return false }
        return (try? JSONValue(parsing: body))?.object?["keys"]?.array?.count == 2
    }

    @Test("a status comes with an error code")
    func status() throws {
        try order(["fault": "status"])
        #expect(apple.reply("GET", "/auth/keys")?.status.hasPrefix("500 ") == true)
        try order(["fault": "status", "status": 400, "error": "unauthorized_client"])
        let reply = apple.reply("POST", "/auth/token")
        #expect(reply?.status.hasPrefix("400 ") == true)
        #expect(reply?.body == Array(#"{"error":"unauthorized_client"}"#.utf8))
    }

    @Test("a body is garbage, empty or huge")
    func bodies() throws {
        try order(["fault": "garbage"])
        let garbage = try #require(apple.reply("GET", "/auth/keys"))
        #expect(garbage.status == "200 OK" && (try? JSONValue(parsing: garbage.body)) == nil)
        try order(["fault": "empty"])
        #expect(apple.reply("GET", "/auth/keys")?.body.isEmpty == true)
        try order(["fault": "huge"])
        #expect(try #require(apple.reply("GET", "/auth/keys")).body.count == 1 << 20)
    }

    @Test("the remaining ordered faults are listed")
    func list() throws {
        try order(["fault": "close", "path": "/auth/keys"])
        try order(["fault": "status", "times": 2])
        _ = apple.reply("GET", "/auth/keys")
        let listed = try #require(apple.reply("GET", "/faults")?.body)
        #expect(
            try JSONValue(parsing: listed) == [
                "faults": [["fault": "close", "path": "/auth/keys"], ["fault": "status", "times": 1]]
            ])
    }

    @Test("a redirect leads to the same address")
    func redirect() throws {
        try order(["fault": "redirect", "times": 1])
        let reply = try #require(apple.reply("GET", "/auth/keys"))
        #expect(String(decoding: reply.bytes, as: UTF8.self).contains("302 Found\r\n"))
        #expect(reply.fields.first?.value == "/auth/keys")
        #expect(isGood(apple.reply("GET", "/auth/keys")))
    }

    @Test("hang and close do not perform the request", arguments: ["hang", "close"])
    func silence(fault: String) throws {
        let code = try apple.code()
        try order(["fault": .string(fault), "times": 1])
        #expect(apple.reply("POST", "/auth/token") == nil)
        #expect(try apple.exchange(code).status == "200 OK")
    }

    @Test("a delayed request is performed before the answer")
    func delay() throws {
        let code = try apple.code()
        try order(["fault": "delay", "seconds": 7, "times": 1])
        #expect(try apple.exchange(code).status == "200 OK")
        #expect(apple.service.authorisations.count == 1)
        try order(["fault": "delay", "seconds": 7])
        let action = apple.service.answer(HTTPRequest(method: "GET", target: "/auth/keys"))
        guard case .reply(let reply, let seconds) = action else {
            Issue.record("no reply")
            return
        }
        #expect(seconds == 7)
        #expect(isGood(reply))
    }

    @Test("faults apply as often as ordered, at the ordered path, the latest order first")
    func counting() throws {
        try order(["fault": "status", "path": "/auth/keys", "times": 2])
        try order(["fault": "status", "status": 503, "times": 1])
        #expect(apple.reply("GET", "/auth/keys")?.statusCode == 503)
        #expect(apple.reply("GET", "/auth/keys")?.statusCode == 500)
        #expect(apple.reply("POST", "/auth/token")?.statusCode == 400)
        #expect(apple.reply("GET", "/auth/keys")?.statusCode == 500)
        #expect(isGood(apple.reply("GET", "/auth/keys")))
    }

    @Test("faults last until they are removed, and never affect the control endpoints")
    func clearing() throws {
        try order(["fault": "status"])
        for _ in 0..<5 { #expect(apple.reply("GET", "/auth/keys")?.statusCode == 500) }
        #expect(apple.reply("GET", "/mint")?.statusCode == 200)
        #expect(apple.reply("DELETE", "/faults")?.statusCode == 200)
        #expect(isGood(apple.reply("GET", "/auth/keys")))
    }

    @Test(
        "an invalid order is refused with the name of the member",
        arguments: [
            ([:], "fault"), (["fault": "meteor"], "fault"), (["fault": "hang", "path": "/mint"], "path"),
            (["fault": "delay", "seconds": -1], "seconds"), (["fault": "delay", "seconds": 1e300], "seconds"),
            (["fault": "status", "status": 99], "status"), (["fault": "status", "status": "500"], "status"),
            (["fault": "hang", "times": 0], "times"), (["fault": "hang", "x": 1], "x"),
        ] as [(JSONObject, String)])
    func refused(json: JSONObject, name: String) throws {
        let reply = try #require(apple.reply("POST", "/faults", json.description))
        #expect(reply.status == "400 Bad Request")
        #expect(try JSONValue(parsing: reply.body).object?["error"]?.string?.hasPrefix(name + ":") == true)
    }

    @Test("faults are visible over a connection")
    func client() throws {
        let server = apple.service.server(on: try Listener.tcp(host: "127.0.0.1", port: 0))
        _ = try Thread.spawn(name: "fake-apple") { try? server.run() }
        let url = "http://127.0.0.1:\(server.port)/auth/keys"
        let client = HTTPClient(timeout: .seconds(20))
        func fault(_ kind: AppleFault, _ client: HTTPClient) throws -> HTTPFault? {
            apple.service.addFault(Fault(kind, times: 1))
            // The server may read the request after the client has given up.
            defer { _ = Eventually.holds { apple.reply("GET", "/faults")?.body == Array(#"{"faults":[]}"#.utf8) } }
            do throws(HTTPFault) {
                _ = try client.get(url)
                return nil
            } catch { return error }
        }
        #expect(try fault(.huge, client) == .tooLarge(limit: 65_536))
        for kind in [AppleFault.hang, .delay] {
            guard case .transport(28, _) = try fault(kind, HTTPClient(timeout: .milliseconds(500))) else {
                Issue.record("\(kind) does not time out")
                continue
            }
        }
        guard case .transport(52, _) = try fault(.close, client) else {
            Issue.record("it does not hang up")
            return
        }
        #expect(try fault(.redirect, client) == nil)
        #expect(try client.get(url).status == 200)
    }
}
