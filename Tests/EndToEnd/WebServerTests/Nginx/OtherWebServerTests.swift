import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Web servers with a minimal FastCGI configuration", .needs(.otherFronts))
struct OtherWebServerTests {
    enum Family: CaseIterable {
        case tcp
        case unix
    }

    /// `gatehouse serve` behind a web server.
    private final class Fixture {
        let server: ServerProcess
        let webServer: WebServerProcess

        init(_ kind: WebServer, over family: Family) throws {
            let port = try FreePort.any()
            server = try ServerProcess { if family == .tcp { $0["LISTEN"] = "tcp:127.0.0.1:\(port)" } }
            // The web servers' workers run as another user.
            if family == .unix { chmod(server.socket, 0o666) }
            webServer = try WebServerProcess(kind, responder: server.address)
        }

        func logIn(_ email: String) throws -> TestResponse {
            let exchange = try login(email, size: nil, status: 200)
            return try webServer.send([exchange], atATime: 1)[0]
        }

        func login(_ email: String, size: Int?, status: Int) throws -> WebServerExchange {
            let body = Self.body(email, size: size)
            let file = server.folder.file(email)
            try Data(body).write(to: URL(fileURLWithPath: file))
            return WebServerExchange(
                path: "/auth/dev-login", headers: ["Content-Type: application/json"], body: (file, body.count),
                status: status, email: status == 200 ? email : nil)
        }

        /// The required members come last, after one that the server ignores.
        private static func body(_ email: String, size: Int?) -> [UInt8] {
            let end = #""email":"\#(email)","devSecret":"\#(ServerProcess.devSecret)"}"#
            guard let size else { return Array(("{" + end).utf8) }
            let padding = size - end.utf8.count - #"{"padding":"","#.utf8.count
            guard padding >= 0 else { return Array(repeating: UInt8(ascii: "{"), count: size) }
            return Array((#"{"padding":""# + String(repeating: "p", count: padding) + #"","# + end).utf8)
        }

        func me(_ token: String, headers: [String] = [], email: String) -> WebServerExchange {
            WebServerExchange(
                path: "/users/me", headers: ["Authorization: Bearer \(token)"] + headers, status: 200, email: email)
        }
    }

    @Test("A login succeeds", arguments: WebServer.allCases)
    func login(_ kind: WebServer) throws {
        let fixture = try Fixture(kind, over: .tcp)
        let login = try fixture.logIn("l@example.com")
        #expect(login.status == 200)
        let me = try fixture.webServer.send([fixture.me(login.accessToken, email: "l@example.com")], atATime: 1)[0]
        #expect(me["email"]?.string == "l@example.com")
        // The response has no body, and the web server does not wait for one.
        let head = TestResponse(
            parsing: try Shell.run(
                [
                    "curl", "-sI", "--max-time", "20", "-H", "Authorization: Bearer \(login.accessToken)",
                    fixture.webServer.site + "/users/me",
                ]))
        #expect(head.status == 200)
        #expect(head.body == [])
    }

    /// Sizes around libfcgi's read buffer (8 KiB), around the amount that Apache writes into a blocked Unix socket, and
    /// around the maximum body size.
    private static let sizes = [
        1, 8184, 8191, 8192, 8193, 8200, 16_384, 49_000, 50_000, 65_535, 65_536, 65_537, 100_000,
    ]

    /// Sends bodies of these sizes alternating with requests without a body, first one at a time, then sixteen. A web server
    /// that keeps the connection sends the next request at once, so the server must not close it after one that is too large.
    @Test(
        "Requests of every size are answered, and so are those after them", arguments: WebServer.allCases,
        Family.allCases)
    func everySize(_ kind: WebServer, over family: Family) throws {
        let fixture = try Fixture(kind, over: family)
        let token = try fixture.logIn("all@example.com").accessToken
        let me = fixture.me(token, email: "all@example.com")
        let long = fixture.me(token, headers: kind.longHeaders, email: "all@example.com")
        let logins = try Self.sizes.map { size in
            try fixture.login("s\(size)@example.com", size: size, status: size == 1 ? 400 : size > 65_536 ? 413 : 200)
        }
        let turn = logins.flatMap { [me, $0, long] }
        for count in [1, 16] {
            let exchanges = Array(repeatElement(turn, count: 200 / turn.count).joined())
            let responses = try fixture.webServer.send(exchanges, atATime: count)
            for (exchange, response) in zip(exchanges, responses) {
                #expect(exchange.matches(response), "\(count) at a time: \(exchange): \(response)")
            }
        }
    }
}
