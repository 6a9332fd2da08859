import JSON
import Testing

@testable import Console
@testable import DevelopmentHTTP

@Suite("Faults between a client and the API")
struct FaultTests {
    private let console: ConsoleFixture

    init() throws {
        console = try ConsoleFixture()
    }

    private func switchOn(_ fault: String) {
        #expect(console.reply("POST", "/console/faults", body: fault)?.status == "200 OK")
    }

    @Test("Without a fault, requests and answers pass unchanged, without the console's headers")
    func passed() throws {
        let action = console.answer(
            "POST", "/console/faulty/api/users/me?a=b",
            [
                "authorization": "Bearer token", "content-type": "application/json", "x-forwarded-for": "192.0.2.1",
                "user-agent": "App/1", "cookie": "a=b", "x-user-id": "forged", "x-console-step": "1", "dpop": "proof",
                "x-forwarded-host": "localhost:8443",
            ], body: "{}")
        guard case .pass(let bytes) = action else {
            Issue.record("not passed on: \(action)")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains(#"{"path":"/api/users/me?a=b"}"#))
        #expect(!text.contains("Content-Security-Policy"))
        let request = try #require(console.requests.first)
        #expect(request.method == "POST" && request.target == "/api/users/me?a=b" && request.body == Array("{}".utf8))
        #expect(request["authorization"] == "Bearer token" && request["x-forwarded-for"] == "192.0.2.1")
        #expect(request["dpop"] == "proof" && request["x-forwarded-host"] == "localhost:8443")
        #expect(request["cookie"] == "a=b", "the cookie of a page's session")
        #expect(request["x-user-id"] == nil && request["x-console-step"] == nil)
    }

    @Test("An API that closes the connection without an answer gets the request once", arguments: [true, false])
    func noAnswer(isLost: Bool) throws {
        if isLost { switchOn(#"{"fault":"lost"}"#) }
        let reply = try #require(console.reply("POST", "/console/faulty/api/closes"))
        #expect(reply.status == "502 Bad Gateway" && reply.json?["error"]?.string?.contains("nginx") == true)
        #expect(console.requests.count == 1)
        #expect(console.reported.isEmpty)
    }

    @Test("503: the request is not carried out, until the fault is switched off")
    func unavailable() throws {
        switchOn(#"{"fault":"unavailable"}"#)
        for _ in 1...3 {
            let reply = try #require(console.reply("GET", "/console/faulty/api/users/me"))
            #expect(reply.status.hasPrefix("503") && reply.contentType == "application/problem+json")
            #expect(reply.json?["code"] == "service_unavailable")
            #expect(reply.fields.contains { $0.name == "Retry-After" })
        }
        #expect(console.requests.isEmpty)
        #expect(console.reply("DELETE", "/console/faults")?.json?["faults"] == [])
        #expect(console.reply("GET", "/console/faulty/api/users/me") == nil)
    }

    @Test("A delayed request is carried out")
    func delay() throws {
        switchOn(#"{"fault":"delay","seconds":0,"times":1}"#)
        #expect(console.reply("GET", "/console/faulty/api/users/me") == nil)
        #expect(console.requests.count == 1)
        #expect(console.reported.first?["fault"] == "delay")
    }

    @Test("The latest fault applies first, and the list shows the remaining ones")
    func order() throws {
        switchOn(#"{"fault":"unavailable"}"#)
        switchOn(#"{"fault":"lost","times":2}"#)
        #expect(console.reply("GET", "/console/faulty/api/users/me")?.status == "200 OK")
        #expect(
            console.reply("GET", "/console/faults")?.json?["faults"]
                == [["fault": "unavailable"], ["fault": "lost", "times": 1]])
    }

    @Test(
        "An unknown fault is refused, and the refusal names the allowed ones",
        arguments: [
            "", "[]", "{}", #"{"fault":"x"}"#, #"{"fault":"lost","x":1}"#, #"{"fault":"lost","times":0}"#,
            #"{"fault":"delay","seconds":61}"#, #"{"fault":"delay","seconds":-1}"#, #"{"fault":"lost","path":"api"}"#,
        ])
    func refused(body: String) throws {
        let reply = try #require(console.reply("POST", "/console/faults", body: body))
        #expect(reply.status == "400 Bad Request" && reply.json?["error"] != nil)
        #expect(console.reply("GET", "/console/faults")?.json?["faults"] == [])
    }

    @Test(
        "Only the API is behind /console/faulty",
        arguments: ["/", "/metrics", "/console/settings", "/../settings", "/apix", "/healthz", "/api"])
    func otherPaths(path: String) throws {
        #expect(console.reply("GET", "/console/faulty" + path)?.status == "404 Not Found")
        #expect(console.requests.isEmpty)
    }
}
