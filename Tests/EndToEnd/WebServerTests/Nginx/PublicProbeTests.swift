import Foundation
import GatehouseServer
import TestSupport
import Testing

@testable import ServerSupport

/// The server and `gatehouse check` send a request to the public address.
@Suite("Probing the public address")
struct PublicProbeTests {
    private func metric(_ name: String, of server: ServerBehindNginx) -> Double? {
        let body = (try? server.backend.send(.get("/metrics")).body) ?? []
        let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
    }

    /// nginx gets a port first. The server then starts with this port in its settings.
    private func server() throws -> (server: ServerBehindNginx, address: PublicAddress) {
        let server = try ServerBehindNginx()
        let address = try #require(PublicAddress("https://localhost:\(server.port)"))
        return (server, address)
    }

    @Test("The probe finds this server and its certificate, and reports a server or an nginx that is down")
    func probe() throws {
        let (server, address) = try server()
        let probe = PublicProbe(asking: address)
        #expect(probe.answer == .ours)
        let certificate = try #require(probe.certificate)
        #expect(certificate.coversHost && !certificate.isSelfSigned)
        let file = try String(contentsOfFile: server.certificate, encoding: .utf8)
        #expect(ServedCertificate(pem: file, host: "localhost")?.isSame(as: certificate) == true)
        #expect(PublicProbe.rejection(of: address) != nil)
        // A loopback address is used, so no name is resolved.
        let elsewhere = try #require(PublicAddress("https://nowhere.invalid:\(server.port)"))
        #expect(PublicProbe(asking: elsewhere).certificate?.coversHost == false)

        server.backend.process.stop()
        #expect(PublicProbe(asking: address).answer == .problem(status: 502, code: "bad_gateway"))
        let plain = try #require(PublicAddress("https://localhost:\(server.plainPort)"))
        #expect(PublicProbe(asking: plain).answer.summary.hasPrefix("no TLS"))
        server.nginx.stop()
        #expect(PublicProbe(asking: address).answer.summary.hasPrefix("no connection"))
    }

    @Test("The metrics have the result of the probe from the start")
    func metrics() throws {
        let (server, address) = try server()
        #expect(metric("gatehouse_public_probe_success", of: server) == nil)
        try server.backend.restart { $0["PUBLIC_URL"] = address.description }
        #expect(Eventually.holds { metric("gatehouse_public_probe_success", of: server) == 1 })
        let end = try #require(metric("gatehouse_public_certificate_not_after_seconds", of: server))
        #expect(end > Date().timeIntervalSince1970)
        let moment = try #require(metric("gatehouse_public_probe_timestamp_seconds", of: server))
        #expect(abs(moment - Date().timeIntervalSince1970) < 600)
    }
}
