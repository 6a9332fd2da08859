import Curl
import JSON
import POSIX
import Sockets
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

@Suite("Faults on demand")
struct FaultTests {
    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func order(_ json: JSONObject) throws {
        #expect(try #require(standIn.reply("POST", "/faults", json.description)).status == "200 OK")
    }

    private func isGood(_ reply: HTTPReply?) -> Bool {
        guard let body = reply?.body, reply?.status == "200 OK" else { return false }
        return (try? JSONValue(parsing: body))?.object?["keys"]?.array?.count == 2
    }

    /// Tests of races rely on it.
    @Test("over a connection, a client waits for a delayed answer and for none", arguments: [AppleFault.delay, .hang])
    func late(kind: AppleFault) throws {
        let server = standIn.service.server(on: try Listener.tcp(host: "127.0.0.1", port: 0))
        _ = try Thread.spawn(name: "stand-in") { try? server.run() }
        standIn.apple.addFault(Fault(kind))
        let fault = #expect(throws: HTTPFault.self) {
            try HTTPClient(timeout: .milliseconds(500)).get("http://127.0.0.1:\(server.port)/auth/keys")
        }
        #expect(fault?.stage == .timeout)
    }

    @Test("a status comes with an error code")
    func status() throws {
        try order(["fault": "status"])
        #expect(standIn.reply("GET", "/auth/keys")?.status.hasPrefix("500 ") == true)
        try order(["fault": "status", "status": 400, "error": "unauthorized_client"])
        let reply = standIn.reply("POST", "/auth/token")
        #expect(reply?.status.hasPrefix("400 ") == true)
        #expect(reply?.body == Array(#"{"error":"unauthorized_client"}"#.utf8))
    }

    @Test("a body is garbage, empty or huge, and a redirect leads to the same address")
    func bodies() throws {
        try order(["fault": "garbage"])
        let garbage = try #require(standIn.reply("GET", "/auth/keys"))
        #expect(garbage.status == "200 OK" && (try? JSONValue(parsing: garbage.body)) == nil)
        try order(["fault": "empty"])
        #expect(standIn.reply("GET", "/auth/keys")?.body.isEmpty == true)
        try order(["fault": "huge"])
        #expect(try #require(standIn.reply("GET", "/auth/keys")).body.count == 1 << 20)
        try order(["fault": "redirect"])
        let redirect = try #require(standIn.reply("GET", "/auth/keys"))
        #expect(redirect.statusCode == 302 && redirect.fields.first?.value == "/auth/keys")
    }

    @Test("hang and close do not perform the request", arguments: ["hang", "close"])
    func silence(fault: String) throws {
        let code = try standIn.code()
        try order(["fault": .string(fault), "times": 1])
        #expect(standIn.reply("POST", "/auth/token") == nil)
        #expect(try standIn.exchange(code).status == "200 OK")
    }

    @Test("a delayed request is performed before the answer")
    func delay() throws {
        let code = try standIn.code()
        try order(["fault": "delay", "seconds": 7, "times": 1])
        #expect(try standIn.exchange(code).status == "200 OK")
        #expect(standIn.apple.authorisations.count == 1)
        try order(["fault": "delay", "seconds": 7])
        let action = standIn.service.answer(HTTPRequest(method: "GET", target: "/auth/keys"))
        guard case .reply(let reply, let seconds) = action else {
            Issue.record("no reply")
            return
        }
        #expect(seconds == 7)
        #expect(isGood(reply))
    }

    @Test("faults apply as often as ordered, at the ordered path, the latest order first, and to no control endpoint")
    func counting() throws {
        try order(["fault": "status", "path": "/auth/keys", "times": 2])
        try order(["fault": "status", "status": 503, "times": 1])
        #expect(standIn.reply("GET", "/mint")?.statusCode == 200)
        #expect(standIn.reply("GET", "/auth/keys")?.statusCode == 503)
        #expect(standIn.reply("GET", "/auth/keys")?.statusCode == 500)
        #expect(standIn.reply("POST", "/auth/token")?.statusCode == 400)
        #expect(standIn.reply("GET", "/auth/keys")?.statusCode == 500)
        #expect(isGood(standIn.reply("GET", "/auth/keys")))
        try order(["fault": "status"])
        for _ in 0..<5 { #expect(standIn.reply("GET", "/auth/keys")?.statusCode == 500) }
        #expect(standIn.reply("DELETE", "/faults")?.statusCode == 200)
        #expect(isGood(standIn.reply("GET", "/auth/keys")))
    }
}
