import Foundation
import TestSupport
import Testing

@Suite("The listener for the machine itself")
struct LocalListenerTests {
    private let port: UInt16
    private let house: FrontedHouse

    init() throws {
        port = try FreePort.any()
        house = try FrontedHouse(values: ["LISTEN_LOCAL": "127.0.0.1:\(port)"])
    }

    private func ask(_ path: String, _ options: String...) throws -> Answer {
        Answer(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--path-as-is", "--max-time", "20"] + options
                    + ["http://127.0.0.1:\(port)\(path)"]))
    }

    @Test("has the metrics, and writes no line about it")
    func metrics() throws {
        let answer = try ask("/metrics")
        #expect(answer.status == 200)
        #expect(answer.header("content-type")?.hasPrefix("text/plain") == true)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("gatehouse_build_info"))
        #expect(try ask("/metrics", "--header", "Host: localhost:9180").status == 200)
        _ = try house.send(.get("/api/users/me"))
        #expect(Eventually.holds { house.accessLog.contains("/api/users/me") })
        #expect(!house.accessLog.contains("/metrics"))
    }

    @Test(
        "passes questions after its health on to the responder, whatever that says", arguments: ["/healthz", "/readyz"])
    func health(_ path: String) throws {
        // The responder has written it, and not nginx, where the log has a line of it.
        let answer = try ask(path)
        #expect([200, 404, 503].contains(answer.status))
        let id = try #require(answer.header("x-request-id"))
        #expect(Eventually.holds { house.served.process.log.contains(id) })
    }

    @Test(
        "is nobody's who asks under another name: a page in a browser could make its own lead here",
        arguments: ["evil.example", "127.0.0.1.evil.example", "api.example.com", "0.0.0.0"])
    func rebinding(_ name: String) throws {
        for path in ["/metrics", "/readyz"] {
            let answer = try ask(path, "--header", "Host: \(name)")
            #expect(answer.status == 421, "\(path)")
            #expect(answer.code == "misdirected_request")
        }
    }

    @Test(
        "has nothing else, the API least of all",
        arguments: ["/", "/api/users/me", "/api/auth/verify", "/metrics/", "/metricsx", "/.well-known/jwks.json"])
    func nothingElse(_ path: String) throws {
        #expect(try ask(path).status == 404)
    }

    @Test("is not the API's host, where there is nothing of it", arguments: ["/metrics", "/healthz", "/readyz"])
    func publicHost(_ path: String) throws {
        #expect(try house.send(.get(path)).status == 404)
    }

    @Test("is not there where its address is empty")
    func absent() throws {
        let other = try FrontedHouse()
        #expect(!FileManager.default.fileExists(atPath: other.folder.file("nginx/sites-enabled/gatehouse-local.conf")))
    }
}
