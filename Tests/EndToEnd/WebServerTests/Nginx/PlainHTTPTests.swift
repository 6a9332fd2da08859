import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A client that sends a token over plain HTTP has exposed it. A redirect would hide this mistake.
@Suite("Plain HTTP")
struct PlainHTTPTests {
    private static let server = Result { try ServerBehindNginx() }
    private let server: ServerBehindNginx

    init() throws { server = try Self.server.get() }

    private func ask(_ path: String, port: UInt16? = nil, _ options: String...) throws -> TestResponse {
        TestResponse(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--path-as-is", "--max-time", "20"] + options
                    + ["http://127.0.0.1:\(port ?? server.plainPort)\(path)"]))
    }

    @Test(
        "The API is refused, and the error says what to do",
        arguments: [
            "/api", "/api/", "/api/users/me", "/api/users/me?x=1", "/api/nothing", "/api/auth/verify", "//api/users/me",
            "/%61pi/users/me", "/x/../api/users/me", "/api/../api/x",
        ])
    func refused(_ path: String) throws { try expectRefusal(ask(path)) }

    @Test("Every path is refused in the same way on the port for HTTPS", arguments: ["/api/users/me", "/", "/x"])
    func portForHTTPS(_ path: String) throws { try expectRefusal(ask(path, port: server.port)) }

    private func expectRefusal(_ response: TestResponse) throws {
        expectProblem(response, 403, "https_required")
        let detail = try #require(response["detail"]?.string)
        for word in ["https", "log out"] { #expect(detail.lowercased().contains(word)) }
        #expect(response["requestId"]?.string == response.header("x-request-id"))
        #expect(response.header("cache-control") == "no-store")
        // A challenge would make the client send the token again, and HSTS is valid over TLS only.
        for name in ["location", "www-authenticate", "strict-transport-security", "retry-after"] {
            #expect(response.header(name) == nil, "\(name)")
        }
    }

    @Test("The API is refused for every method", arguments: ["POST", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        let token = try server.devLogin("plain@example.com").accessToken
        let response = try ask(
            "/api/users/me", "--request", method, "--header", "Authorization: Bearer \(token)", "--data", "{}")
        expectProblem(response, 403, "https_required")
        #expect(!String(decoding: response.body, as: UTF8.self).contains(token))
        // The responder did not receive the request.
        #expect(try server.me(token).status == 200)
    }

    @Test(
        "A request with a token is refused at every path", arguments: ["/", "/knowledge/1", "/.well-known/jwks.json"])
    func tokens(_ path: String) throws {
        for value in ["Bearer x", "0"] {
            expectProblem(try ask(path, "--header", "Authorization: \(value)"), 403, "https_required")
        }
        #expect(try ask(path, "--header", "X-Other: x").status == 308)
    }

    @Test("The access log shows that nginx refused the request")
    func logged() throws {
        let id = try #require(try ask("/api/users/me").header("x-request-id"))
        func line() -> Substring? { server.accessLog.split(separator: "\n").first { $0.contains(id) } }
        #expect(Eventually.holds { line() != nil })
        for part in [#""path":"/api/users/me""#, #""status":403"#, #""upstreamStatus":"""#] {
            #expect(line()?.contains(part) == true, "\(part)")
        }
    }

    @Test("A refused HEAD has no body")
    func head() throws {
        let response = try ask("/api/users/me", "--head")
        #expect(response.status == 403)
        #expect(response.body == [])
    }

    @Test(
        "Other paths are redirected to HTTPS",
        arguments: ["/", "/apis", "/api-docs", "/knowledge/1?a=b", "/.well-known/jwks.json"])
    func redirected(_ path: String) throws {
        let response = try ask(path)
        #expect(response.status == 308)
        #expect(response.header("location") == "https://localhost:\(server.port)\(path)")
        #expect(response.header("strict-transport-security") == nil)
    }
}
