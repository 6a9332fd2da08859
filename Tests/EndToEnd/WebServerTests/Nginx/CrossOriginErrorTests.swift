import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// What nginx answers at the API in place of the responder. The responder's answers have headers of its own.
@Suite("nginx's own errors for pages of other origins")
struct CrossOriginErrorTests {
    private static let server = Result {
        try ServerBehindNginx(
            values: CrossOrigin.setting.merging(["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"]) { $1 },
            site: "server_name example.test; include snippets/gatehouse-site.conf;")
    }
    private let server: ServerBehindNginx

    init() throws { server = try Self.server.get() }

    @Test("A page of CORS_ORIGINS may read them", arguments: [CrossOrigin.allowed, "https://app.example.org:8443"])
    func readable(_ origin: String) throws {
        for path in ["/api/auth/verify", "/api"] {
            let missing = try server.send(.get(path).from(origin))
            expectProblem(missing, 404, "not_found")
            expectReadable(missing, by: origin)
        }
        var large = TestRequest.post("/api/auth/refresh", ["refreshToken": "x"]).from(origin)
        large.body = [UInt8](repeating: 120, count: 65_537)
        for version in ["--http1.1", "--http2"] {
            let refused = try server.send(large, options: [version])
            expectProblem(refused, 413, "payload_too_large")
            expectReadable(refused, by: origin)
        }
    }

    @Test("A page of CORS_ORIGINS may read that it has sent too many requests")
    func limited() throws {
        let answers = try (0..<4).map { _ in
            try server.send(.post("/api/auth/dev-login", ["email": "x"]).from(CrossOrigin.allowed))
        }
        let last = try #require(answers.last)
        expectProblem(last, 429, "too_many_requests")
        expectReadable(last)
    }

    @Test("A page of another origin may not, nor one without an origin", arguments: CrossOrigin.refused)
    func unreadable(_ origin: String?) throws {
        let missing = try server.send(.get("/api/auth/verify").from(origin))
        expectProblem(missing, 404, "not_found")
        expectUnreadable(missing)
        // No cache may give this answer to a page that may read it.
        #expect(missing.header("vary") == "Origin")
    }

    @Test("They have no such header where CORS_ORIGINS is empty")
    func off() throws {
        let response = try SharedServers.standard(.nginx).send(.get("/api/auth/verify").from(CrossOrigin.allowed))
        expectUnreadable(response)
        #expect(response.header("vary") == nil)
    }

    @Test("The same in a server block of the operator")
    func ownServer() throws {
        for (origin, isReadable) in [(CrossOrigin.allowed, true), ("https://example.test", false)] {
            var request = TestRequest.get("/api/auth/verify").from(origin)
            request.headers.append(("Host", "example.test"))
            let response = try server.send(request)
            expectProblem(response, 404, "not_found")
            if isReadable { expectReadable(response) } else { expectUnreadable(response) }
        }
    }

    @Test("A page may read that the responder is down, and nginx adds nothing to an answer of the responder")
    func responder() throws {
        let answering = try RecordingResponder(headers: "Access-Control-Allow-Origin: https://own.example\r\n")
        let nginx = try ServerBehindNginx(before: answering, values: CrossOrigin.setting)
        let answer = try Self.ask(nginx, "/api/nowhere")
        #expect(answer.headers.filter { $0.name.hasPrefix("access-control-") }.map(\.value) == ["https://own.example"])

        let silent = try RecordingResponder()
        let bare = try ServerBehindNginx(before: silent, values: CrossOrigin.setting)
        expectUnreadable(try Self.ask(bare, "/api/nowhere"))

        let down = try ServerBehindNginx(values: CrossOrigin.setting.merging(["RESPONDER": "127.0.0.1:1"]) { $1 })
        let lost = try Self.ask(down, "/api/users/me")
        expectProblem(lost, 502, "bad_gateway")
        expectReadable(lost)
    }

    /// Without a comparison with the OpenAPI document, which a stand-in does not know.
    private static func ask(_ nginx: ServerBehindNginx, _ path: String) throws -> TestResponse {
        TestResponse(
            parsing: try Shell.run([
                "curl", "-si", "--max-time", "20", "--cacert", nginx.certificate, "-H",
                "Origin: \(CrossOrigin.allowed)", "https://localhost:\(nginx.port)\(path)",
            ]))
    }
}
