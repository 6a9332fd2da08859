import Foundation
import JSON
import TestSupport
import Testing

@testable import FakeProviders

@Suite("The providers over a connection", .serialized)
struct ConnectionTests {
    /// A server never ends, so all tests share one.
    private static let shared = Result { () throws in try FakeProviderServer() }

    private let server: FakeProviderServer

    init() throws {
        server = try Self.shared.get()
    }

    private func curl(_ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(of: ["/usr/bin/curl", "--silent", "--max-time", "20"] + words, environment: [:])
    }

    @Test("a provider of the server has the address of the server as its issuer")
    func issuer() throws {
        let output = try curl(server.issuer("first") + "/.well-known/openid-configuration").text
        #expect(try JSONValue(parsing: output).object?["issuer"] == .string(server.issuer("first")))
    }

    @Test("a request that hangs is answered once the mode changes, and does not hinder others")
    func hang() throws {
        _ = try server.control("/wechat/faults", ["mode": "hang"])
        let hanging = Background { [server] in
            (try? Shell.run(["/usr/bin/curl", "--silent", "--max-time", "50", server.url("/wechat/sns/auth")])) ?? []
        }
        #expect(
            Eventually.holds {
                (try? server.control("/wechat/requests", method: "GET"))?["requests"]?.array?.isEmpty == false
            })
        #expect(try curl(server.url("/qq/oauth2.0/me")).text.hasPrefix("callback("))
        _ = try server.control("/wechat/faults", method: "DELETE")
        #expect(String(decoding: hanging.result(), as: UTF8.self).hasPrefix(#"{"errcode":41001,"#))
    }

    @Test("a closed connection is an empty answer, and a huge answer arrives whole")
    func closeAndHuge() throws {
        _ = try server.control("/qq/faults", ["mode": "close"])
        #expect(try curl(server.url("/qq/oauth2.0/me")).status == 52)
        _ = try server.control("/qq/faults", ["mode": "huge"])
        #expect(try curl(server.url("/qq/oauth2.0/me")).text.utf8.count > 1 << 20)
        _ = try server.control("/qq/faults", method: "DELETE")
    }
}
