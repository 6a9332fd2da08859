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
