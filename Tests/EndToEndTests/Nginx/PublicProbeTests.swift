import Foundation
import GatehouseServer
import TestSupport
import Testing

/// The server and `gatehouse check` send a request to the public address.
@Suite("Probing the public address")
struct PublicProbeTests {
    private func metric(_ name: String, of installation: NginxInstallation) -> Double? {
        let body = (try? installation.backend.send(.get("/metrics")).body) ?? []
        let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
    }

    /// nginx gets a port first. The server then starts with this port in its settings.
    private func installation() throws -> (installation: NginxInstallation, address: PublicAddress) {
        let installation = try NginxInstallation()
        let address = try #require(PublicAddress("https://localhost:\(installation.port)"))
        return (installation, address)
    }

    @Test("The probe finds this server and its certificate")
    func reachable() throws {
        let (installation, address) = try installation()
        let probe = PublicProbe(asking: address)
        #expect(probe.answer == .ours)
        let certificate = try #require(probe.certificate)
        #expect(certificate.coversHost && !certificate.isSelfSigned)
        let file = try String(contentsOfFile: installation.certificate, encoding: .utf8)
        #expect(ServedCertificate(pem: file, host: "localhost")?.isSame(as: certificate) == true)
        #expect(PublicProbe.rejection(of: address) != nil)
        // A loopback address is used, so no name is resolved.
        let elsewhere = try #require(PublicAddress("https://nowhere.invalid:\(installation.port)"))
        #expect(PublicProbe(asking: elsewhere).certificate?.coversHost == false)
    }

    @Test("The probe reports a server or an nginx that is down")
    func unreachable() throws {
        let (installation, address) = try installation()
        installation.backend.process.stop()
        #expect(PublicProbe(asking: address).answer == .problem(status: 502, code: "bad_gateway"))
        let plain = try #require(PublicAddress("https://localhost:\(installation.plainPort)"))
        #expect(PublicProbe(asking: plain).answer.summary.hasPrefix("no TLS"))
        installation.nginx.stop()
        #expect(PublicProbe(asking: address).answer.summary.hasPrefix("no connection"))
    }

    @Test("The metrics have the result of the probe from the start")
    func metrics() throws {
        let (installation, address) = try installation()
        #expect(metric("gatehouse_public_probe_success", of: installation) == nil)
        try installation.backend.restart { $0["PUBLIC_URL"] = address.description }
        #expect(Eventually.holds { metric("gatehouse_public_probe_success", of: installation) == 1 })
        let end = try #require(metric("gatehouse_public_certificate_not_after_seconds", of: installation))
        #expect(end > Date().timeIntervalSince1970)
        let moment = try #require(metric("gatehouse_public_probe_timestamp_seconds", of: installation))
        #expect(abs(moment - Date().timeIntervalSince1970) < 600)
    }
}
