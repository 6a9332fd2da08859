import JSON
import POSIX
import Sockets
import TestSupport
import Testing

@testable import DevelopmentHTTP

@Suite("The host names of a development server")
struct HostNamesTests {
    private let port: UInt16

    /// A server never ends, so all tests share one.
    private static let server = Result { () throws in
        let server = HTTPServer(
            "test", on: try Listener.tcp(host: "127.0.0.1", port: 0),
            names: HostNames(and: ["fake-apple", "10.0.0.7"]),
            advice: "what to do"
        ) { _ in .reply(.ok(["secret": "token"])) }
        _ = try Thread.spawn(name: "test") { try? server.run() }
        return server
    }

    init() throws {
        port = try Self.server.get().port
    }

    /// The status and the body of the answer. `nil` sends no Host header, which curl cannot omit.
    private func ask(_ path: String, _ hosts: String?...) throws -> (status: String, body: String) {
        let lines = hosts.compactMap { $0.map { "Host: \($0)\r\n" } }.joined()
        let peer = try FastCGIPeer(.tcp(port))
        try peer.send(Array("GET \(path) HTTP/1.1\r\n\(lines)\r\n".utf8))
        let text = String(decoding: Spawn.readAll(peer.descriptor), as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first ?? ""
        return (String(status), text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "")
    }

    @Test(
        "a request to any of them is answered, with or without a port",
        arguments: [
            "localhost", "LocalHost:8444", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8444", "fake-apple",
            "Fake-Apple:8444", "10.0.0.7:80",
        ])
    func own(host: String) throws {
        let answer = try ask("/mint", host)
        #expect(answer.status == "200", "\(answer)")
        #expect(answer.body.contains("secret"))
    }

    /// The request of a browser for a page of rebind.example, once that name resolves to 127.0.0.1.
    @Test(
        "a request to any other gets no answer but the reason, and what to do",
        arguments: [
            "rebind.example", "rebind.example:8444", "localhost.rebind.example", "127.0.0.1.rebind.example:8444",
            "localhost:8444:1", "localhost:", "localhost:x", "::1", "[::1", "10.0.0.8", "", ":8444", "localhost@rebind",
        ])
    func rebound(host: String) throws {
        let answer = try ask("/mint", host)
        #expect(answer.status == "421", "\(answer)")
        #expect(!answer.body.contains("secret"))
        #expect(answer.body.contains("the Host header names another host; what to do"))
    }

    @Test("a request without a Host header, or with two, is refused")
    func notOne() throws {
        #expect(try ask("/mint", nil).status == "421")
        #expect(try ask("/mint", "localhost", "rebind.example").status == "421")
        #expect(try ask("/mint", "rebind.example", "localhost").status == "421")
    }
}

@Suite("A request to a development server")
struct HTTPRequestTests {
    @Test(
        "is parsed when it is complete",
        arguments: [
            "GET /mint?x=1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /mint HTTP/1.1\r\ncontent-length:  2\r\n\r\n{}",
            "POST /mint HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        ])
    func reading(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(HTTPRequest.read(Array(bytes[..<count])) == .incomplete) }
        guard case .complete(let request) = HTTPRequest.read(bytes) else {
            Issue.record("not read")
            return
        }
        #expect(request.path == "/mint")
        #expect(text.hasPrefix(request.method))
        #expect(text.hasSuffix("\r\n\r\n" + String(decoding: request.body, as: UTF8.self)))
    }

    @Test("has its content type")
    func contentType() {
        let text = "POST / HTTP/1.1\r\nCONTENT-TYPE: a/b; c=d\r\n\r\n"
        #expect(
            HTTPRequest.read(Array(text.utf8))
                == .complete(
                    HTTPRequest(method: "POST", target: "/", fields: [.init(name: "content-type", value: "a/b; c=d")]))
        )
    }

    @Test(
        "malformed is refused",
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(HTTPRequest.read(Array(text.utf8)) == .malformed)
    }
}
