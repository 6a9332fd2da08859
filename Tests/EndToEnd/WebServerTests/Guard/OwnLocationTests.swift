import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the examples of Guard.md for locations of the operator.
@Suite("Locations of the operator")
struct OwnLocationTests {
    private func server(_ section: String, replacing texts: [String: String]) throws -> ServerBehindNginx {
        var example = try #require(try DocumentationPage.guardPage.blocks(of: section, "nginx").first)
        for (old, new) in texts {
            #expect(example.contains(old), "\(old)")
            example = example.replacing(old, with: new)
        }
        return try ServerBehindNginx(locations: example)
    }

    @Test("Static pages have their type, and a policy that lets a browser load their styles; one folder is guarded")
    func pages() throws {
        let folder = try TemporaryFolder()
        for name in ["handbook", "site"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
            for file in ["index.html", "a.css"] {
                try "\(name) \(file)".write(toFile: folder.file("\(name)/\(file)"), atomically: true, encoding: .utf8)
            }
        }
        let server = try server("Static pages", replacing: ["/srv/www": folder.path])
        let token = try server.devLogin("reader@example.com").accessToken
        for (name, bearer) in [("handbook", token), ("site", nil)] {
            for (path, file, type) in [("", "index.html", "text/html"), ("a.css", "a.css", "text/css")] {
                let page = try server.send(.get("/\(name)/\(path)", bearer: bearer))
                #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self) == "\(name) \(file)")
                #expect(page.header("content-type") == type)
                let policies = page.headers.filter { $0.name == "content-security-policy" }.map(\.value)
                #expect(policies == ["default-src 'self'"])
                #expect(page.header("x-content-type-options") == "nosniff")
            }
            let missing = try server.send(.get("/\(name)/missing", bearer: bearer))
            expectProblem(missing, 404, "not_found")
        }
        for path in ["/handbook/", "/handbook/a.css", "/handbook/missing"] {
            expectProblem(try server.send(.get(path)), 401, "invalid_access_token")
        }
    }

    @Test("An event arrives before the service has sent the next one")
    func stream() throws {
        let next = Mutex(false)
        let service = try StreamingServer { request, peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            peer.send("data: \(request.values(of: "X-User-Id"))\n\n")
            guard Eventually.holds(within: 60, { next.withLock { $0 } }) else { return }
            peer.send("data: last\n\n")
        }
        let server = try server("Streams", replacing: ["127.0.0.1:3000": "127.0.0.1:\(service.port)"])
        let login = try server.devLogin("listener@example.com")
        expectProblem(try server.send(.get("/events/1")), 401, "invalid_access_token")

        let folder = try TemporaryFolder()
        let curl = try ChildProcess(
            [
                "curl", "-sS", "--no-buffer", "--max-time", "90", "--cacert", server.certificate, "-H",
                "Authorization: Bearer \(login.accessToken)", "https://localhost:\(server.port)/events/1",
            ], environment: [:], log: folder.file("events"))
        #expect(Eventually.holds(within: 60) { curl.log.hasSuffix("\n\n") }, "\(curl.log)")
        #expect(curl.log == "data: [\"\(login.userID)\"]\n\n")
        next.withLock { $0 = true }
        #expect(curl.wait() == 0)
        #expect(curl.log.hasSuffix("data: last\n\n"))
    }

    @Test("A WebSocket is opened with a token, whatever the client wants to upgrade to, and passes data both ways")
    func webSocket() throws {
        let arrived = Mutex<UpstreamRequest?>(nil)
        let service = try StreamingServer { request, peer in
            arrived.withLock { $0 = request }
            peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nready ")
            let sent = peer.receive(after: request.body) { $0.count >= 5 }
            peer.send(String(decoding: sent, as: UTF8.self) + " back")
        }
        let server = try server("WebSockets", replacing: ["127.0.0.1:3000": "127.0.0.1:\(service.port)"])
        func open(_ authorization: String) throws -> TestResponse {
            let address = "127.0.0.1:\(server.port)"
            let command = ["timeout", "60", "openssl", "s_client", "-quiet", "-connect", address]
            let head = """
                GET /socket/1 HTTP/1.1
                Host: localhost
                \(authorization)Upgrade: h2c
                Connection: Upgrade, HTTP2-Settings
                HTTP2-Settings: AAMAAABkAAQAAP__
                X-User-Id: user_forged
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==


                """.replacing("\n", with: "\r\n")
            return TestResponse(parsing: try Shell.outcome(of: command, input: Array((head + "hello").utf8)).output)
        }
        #expect(try open("Connection: close\r\n").status == 401)
        #expect(arrived.withLock { $0 == nil })

        let login = try server.devLogin("caller@example.com")
        let answer = try open("Authorization: Bearer \(login.accessToken)\r\n")
        #expect(answer.status == 101)
        #expect(String(decoding: answer.body, as: UTF8.self) == "ready hello back")
        let request = try #require(arrived.withLock { $0 })
        #expect(request.values(of: "Upgrade") == ["websocket"] && request.values(of: "Connection") == ["upgrade"])
        #expect(request.values(of: "X-User-Id") == [login.userID] && request.values(of: "Authorization") == [])
        #expect(request.values(of: "Sec-WebSocket-Key") == ["dGhlIHNhbXBsZSBub25jZQ=="])
    }
}
