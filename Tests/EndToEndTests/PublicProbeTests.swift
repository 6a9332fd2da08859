import Foundation
import GatehouseServer
import TestSupport
import Testing

/// The way from the public port to the server, asked for by the server itself and by `gatehouse check`.
@Suite("The public address behind nginx")
struct PublicProbeTests {
    private func metric(_ name: String, of house: FrontedHouse) -> Double? {
        let body = (try? house.served.send(.get("/metrics")).body) ?? []
        let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
    }

    /// nginx has its port before the server starts, which is told of it by the settings.
    private func house() throws -> (house: FrontedHouse, address: PublicAddress) {
        let house = try FrontedHouse()
        let address = try #require(PublicAddress("https://localhost:\(house.port)"))
        return (house, address)
    }

    @Test("is found to be this server's, with its certificate")
    func well() throws {
        let (house, address) = try house()
        let probe = PublicProbe(asking: address)
        #expect(probe.answer == .ours)
        let certificate = try #require(probe.certificate)
        #expect(certificate.coversHost && certificate.isSelfSigned)
        let file = try String(contentsOfFile: house.certificate, encoding: .utf8)
        #expect(ServedCertificate(pem: file, host: "localhost")?.isSame(as: certificate) == true)
        #expect(PublicProbe.disbelief(of: address) != nil)
        // The name is asked for at a loopback address, and no name server takes part.
        let elsewhere = try #require(PublicAddress("https://nowhere.invalid:\(house.port)"))
        #expect(PublicProbe(asking: elsewhere).certificate?.coversHost == false)
    }

    @Test("is found to be broken where no server is behind nginx, and where nginx does not listen")
    func broken() throws {
        let (house, address) = try house()
        house.served.process.stop()
        #expect(PublicProbe(asking: address).answer == .problem(status: 502, code: "bad_gateway"))
        let plain = try #require(PublicAddress("https://localhost:\(house.plainPort)"))
        #expect(PublicProbe(asking: plain).answer.summary.hasPrefix("no TLS"))
        house.nginx.stop()
        #expect(PublicProbe(asking: address).answer.summary.hasPrefix("no connection"))
    }

    @Test("is told of in the metrics from the start")
    func metrics() throws {
        let (house, address) = try house()
        #expect(metric("gatehouse_public_probe_success", of: house) == nil)
        try house.served.restart { $0["PUBLIC_URL"] = address.description }
        #expect(Eventually.holds { metric("gatehouse_public_probe_success", of: house) == 1 })
        let end = try #require(metric("gatehouse_public_certificate_not_after_seconds", of: house))
        #expect(end > Date().timeIntervalSince1970)
        let moment = try #require(metric("gatehouse_public_probe_timestamp_seconds", of: house))
        #expect(abs(moment - Date().timeIntervalSince1970) < 600)
    }
}
