import DevelopmentHTTP
import Foundation
import Sockets
import TestSupport
import Testing
import Threading

@testable import FakeApple

@Suite("The host names of the fake Apple")
struct HostNamesTests {
    private let apple: FakeAppleFixture
    private let port: UInt16

    init() throws {
        apple = try FakeAppleFixture()
        let server = apple.service.server(
            on: try Listener.tcp(host: "127.0.0.1", port: 0), names: HostNames(and: ["fake-apple", "10.0.0.7"]))
        port = server.port
        _ = try Threading.Thread.spawn(name: "fake-apple") { try? server.run() }
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
        #expect(answer.body.contains("identityToken"))
    }

    /// The request of a browser for a page of rebind.example, once that name resolves to 127.0.0.1.
    @Test(
        "a request to any other gets no token, and the reason",
        arguments: [
            "rebind.example", "rebind.example:8444", "localhost.rebind.example", "127.0.0.1.rebind.example:8444",
            "localhost:8444:1", "localhost:", "localhost:x", "::1", "[::1", "10.0.0.8", "", ":8444", "localhost@rebind",
        ], ["/mint", "/auth/keys", "/requests", "/nothing"])
    func rebound(host: String, path: String) throws {
        let answer = try ask(path, host)
        #expect(answer.status == "421", "\(answer)")
        #expect(!answer.body.contains("identityToken"))
        #expect(answer.body.contains("--host NAME"))
    }

    @Test("a request without a Host header, or with two, is refused")
    func notOne() throws {
        #expect(try ask("/mint", nil).status == "421")
        #expect(try ask("/mint", "localhost", "rebind.example").status == "421")
        #expect(try ask("/mint", "rebind.example", "localhost").status == "421")
    }

    @Test("in containers it is requested by a name from --host")
    func containers() throws {
        let compose = try String(contentsOfFile: Executable.root + "/deploy/docker-compose.yml", encoding: .utf8)
        let proxy = try String(
            contentsOfFile: Executable.root + "/deploy/docker/auxiliary/apple.conf", encoding: .utf8)
        let name = try #require(proxy.firstMatch(of: /fake_apple http:\/\/([a-z-]+):8444;/)?.output.1)
        #expect(compose.contains("--host, \(name),"))
    }
}
