import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The local listener")
struct LocalListenerTests {
    private static let shared = Result {
        let port = try FreePort.any()
        return (port: port, server: try ServerBehindNginx(values: ["LISTEN_LOCAL": "127.0.0.1:\(port)"]))
    }
    private let port: UInt16
    private let server: ServerBehindNginx

    init() throws { (port, server) = try Self.shared.get() }

    private func ask(_ path: String, _ options: String...) throws -> TestResponse {
        TestResponse(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--path-as-is", "--max-time", "20"] + options
                    + ["http://127.0.0.1:\(port)\(path)"])
        ).checked(against: .get(path), through: .nginx)
    }

    @Test("It serves the metrics and does not log these requests")
    func metrics() throws {
        let response = try ask("/metrics")
        #expect(response.status == 200)
        #expect(response.header("content-type")?.hasPrefix("text/plain") == true)
        #expect(String(decoding: response.body, as: UTF8.self).contains("gatehouse_build_info"))
        let named = try ask("/metrics", "--header", "Host: localhost:9180")
        #expect(named.status == 200)
        let logged = try #require(server.send(.get("/api/users/me")).header("x-request-id"))
        #expect(Eventually.holds { server.accessLog.contains(logged) })
        for response in [response, named] {
            #expect(!server.accessLog.contains(try #require(response.header("x-request-id"))))
        }
    }

    @Test(
        "It passes health requests on to the responder", arguments: ["/healthz", "/readyz"])
    func health(_ path: String) throws {
        // The responder logs its own responses. A response that nginx generates would not be in its log.
        let response = try ask(path)
        #expect([200, 404, 503].contains(response.status))
        let id = try #require(response.header("x-request-id"))
        #expect(Eventually.holds { server.backend.process.log.contains(id) })
    }

    @Test(
        "It refuses other host names, so that DNS rebinding from a browser fails",
        arguments: ["evil.example", "127.0.0.1.evil.example", "api.example.com", "0.0.0.0"])
    func rebinding(_ name: String) throws {
        for path in ["/metrics", "/readyz"] {
            let response = try ask(path, "--header", "Host: \(name)")
            #expect(response.status == 421, "\(path)")
            #expect(response.code == "misdirected_request")
        }
    }

    @Test(
        "It serves nothing else, in particular not the API",
        arguments: ["/", "/api/users/me", "/api/auth/verify", "/metrics/", "/metricsx", "/.well-known/jwks.json"])
    func otherPaths(_ path: String) throws {
        #expect(try ask(path).status == 404)
    }

    @Test("It does not exist when its address is empty")
    func emptyAddress() throws {
        let other = try SharedServers.nginx.get()
        #expect(!FileManager.default.fileExists(atPath: other.folder.file("nginx/sites-enabled/gatehouse-local.conf")))
    }
}
