import DevelopmentHTTP
import Foundation
import POSIX
import Sockets
import TestSupport
import Testing

@testable import FakeApple

@Suite("The host names of the fake Apple")
struct HostNamesTests {
    @Test("a request to another host gets no token, and names the option")
    func rebound() throws {
        let apple = try FakeAppleFixture()
        let server = apple.service.server(on: try Listener.tcp(host: "127.0.0.1", port: 0))
        _ = try POSIX.Thread.spawn(name: "fake-apple") { try? server.run() }
        for (host, status) in [("localhost", "200"), ("rebind.example", "421")] {
            let peer = try FastCGIPeer(.tcp(server.port))
            try peer.send(Array("GET /mint HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
            let answer = String(decoding: Spawn.readAll(peer.descriptor), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains("identityToken") == (status == "200"))
            #expect(answer.contains("--host NAME") == (status == "421"))
        }
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
