import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The problems that the document lists for any request, whatever its path.
@Suite("Answers before a request reaches an operation")
struct AnswersOfAnyRequestTests {
    private static let server = Result { try ServerBehindNginx() }

    /// HTTP requests, by the problem that they get.
    private static let requests: [APIProblem: String] = [
        APIProblem(status: 400, code: "bad_request"): "GET /api/users/me HTTP/1.1\r\nHost: a b\r\n",
        APIProblem(status: 404, code: "not_found"): "GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n",
        APIProblem(status: 405, code: "method_not_allowed"): "PUT /api/users/me HTTP/1.1\r\nHost: localhost\r\n",
        APIProblem(status: 414, code: "uri_too_long"):
            "GET /api/\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: localhost\r\n",
        APIProblem(status: 431, code: "headers_too_large"):
            "GET /api/users/me HTTP/1.1\r\nHost: localhost\r\nX-Long: \(String(repeating: "x", count: 9000))\r\n",
        APIProblem(status: 501, code: "not_implemented"):
            "POST /api/auth/refresh HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: unknown\r\n",
        APIProblem(status: 505, code: "http_version_not_supported"):
            "GET /api/users/me HTTP/3.0\r\nHost: localhost\r\n",
    ]

    /// Other tests provoke the first three: plain HTTP, a wrong host name at the local listener, the guard. nginx
    /// answers the other ones only in locations of the operator, or closes the connection instead.
    private static let others: Set<String> = [
        "https_required", "misdirected_request", "service_unavailable", "forbidden", "request_timeout",
        "length_required", "precondition_failed", "range_not_satisfiable", "internal_error", "insufficient_storage",
    ]

    @Test("Each problem is answered")
    func answered() throws {
        let server = try Self.server.get()
        let documented = try APIDocument.current.get().problemsOfAnyRequest
        for problem in documented where !Self.others.contains(problem.code) {
            let request = try #require(Self.requests[problem], "\(problem)")
            let response = try server.send(raw: request + "Connection: close\r\n\r\n")
            #expect(response.status == problem.status && response.code == problem.code, "\(problem)")
        }
    }

    @Test("Plain HTTP gets the documented problem")
    func plain() throws {
        let port = try Self.server.get().plainPort
        let output = try Shell.run(["curl", "--silent", "--include", "http://127.0.0.1:\(port)/api/users/me"])
        let response = TestResponse(parsing: output).checked(against: .get("/api/users/me"), through: .nginx)
        expectProblem(response, 403, "https_required")
    }
}
