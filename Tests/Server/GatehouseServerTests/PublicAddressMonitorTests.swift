import Gatehouse
import POSIX
import Synchronization
import Testing

@testable import GatehouseServer

@Suite("The monitor of the public address")
struct PublicAddressMonitorTests {
    /// The answers to the probes of a test, in order; the last one repeats.
    private final class ProbeDouble: Sendable {
        let answers: Mutex<[PublicProbe.Answer]>
        let lines = Mutex<[String]>([])
        let hosts = Mutex<[String]>([])

        init(_ answers: [PublicProbe.Answer]) {
            self.answers = Mutex(answers)
        }

        func monitor(_ address: String?) -> PublicAddressMonitor {
            let certificate = ServedCertificate(notBefore: Timestamp(seconds: 0), notAfter: Timestamp(seconds: 2000))
            let log = Log(level: .info) { line in self.lines.withLock { $0.append(line) } }
            let probe = { @Sendable (address: PublicAddress) -> PublicProbe in
                self.hosts.withLock { $0.append(address.host) }
                let answer = self.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return PublicProbe(answer: answer, certificate: certificate)
            }
            let now = { @Sendable in Timestamp(seconds: 1000) }
            return PublicAddressMonitor(address.flatMap(PublicAddress.init), now: now, log: log, probe: probe)
        }
    }

    private func text(_ monitor: PublicAddressMonitor) -> [String] {
        var text = Exposition()
        monitor.write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    /// An hour ahead, so that it is later than the first probe of a new monitor.
    private let start = MonotonicTime.now + .seconds(3600)

    private func moment(_ seconds: Int64) -> MonotonicTime { start + .seconds(seconds) }

    @Test("a probe is sent every minute, and sooner after a failure")
    func pace() {
        let probes = ProbeDouble([.ours, .noConnection("x"), .ours])
        let monitor = probes.monitor("https://a.example")
        var counts: [Int] = []
        for seconds in [0, 1, 59, 61, 70, 77, 90, 138] as [Int64] {
            monitor.probeIfDue(at: moment(seconds))
            counts.append(probes.hosts.withLock { $0.count })
        }
        #expect(counts == [1, 1, 1, 2, 2, 3, 3, 4])
    }

    @Test("metrics have the last result, and are absent without an address")
    func metrics() {
        #expect(text(ProbeDouble([.ours]).monitor(nil)).isEmpty)
        let monitor = ProbeDouble([.ours, .other(status: 404)]).monitor("https://a.example")
        #expect(text(monitor).allSatisfy { $0.hasSuffix(" NaN") } && text(monitor).count == 3)
        monitor.probeIfDue(at: moment(0))
        #expect(
            text(monitor) == [
                "gatehouse_public_probe_success 1.0", "gatehouse_public_probe_timestamp_seconds 1000.0",
                "gatehouse_public_certificate_not_after_seconds 2000.0",
            ])
        monitor.probeIfDue(at: moment(61))
        #expect(text(monitor).first == "gatehouse_public_probe_success 0.0")
        monitor.adopt(nil)
        #expect(text(monitor).isEmpty)
    }

    @Test("a probe that a rate limit of nginx refuses counts as a success")
    func limited() {
        let limit = PublicProbe.Answer.problem(status: 429, code: "too_many_requests")
        let probes = ProbeDouble([.ours, limit, limit, limit])
        let monitor = probes.monitor("https://a.example")
        for round in 0..<4 { monitor.probeIfDue(at: moment(Int64(round) * 61)) }
        #expect(text(monitor).first == "gatehouse_public_probe_success 1.0")
        #expect(probes.lines.withLock { $0 } == [])
    }

    @Test("the second consecutive failure is logged once, and the recovery once")
    func log() {
        let probes = ProbeDouble([.late("x"), .ours, .late("x"), .late("x"), .late("x"), .late("x"), .ours, .ours])
        let monitor = probes.monitor("https://a.example")
        for round in 0..<8 { monitor.probeIfDue(at: moment(Int64(round) * 61)) }
        let lines = probes.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\"warning\"") == true && lines.first?.contains("https://a.example") == true)
        #expect(lines.last?.contains("\"info\"") == true)
    }

    @Test("a new address is probed at once, and an unchanged one is not")
    func adoption() {
        let probes = ProbeDouble([.ours])
        let monitor = probes.monitor("https://a.example")
        monitor.probeIfDue(at: moment(0))
        monitor.adopt(PublicAddress("https://a.example"))
        monitor.probeIfDue(at: moment(1))
        monitor.adopt(PublicAddress("https://b.example"))
        #expect(text(monitor).allSatisfy { $0.hasSuffix(" NaN") })
        monitor.probeIfDue(at: moment(2))
        #expect(probes.hosts.withLock { $0 } == ["a.example", "b.example"])
    }
}
