import Gatehouse
import POSIX
import Synchronization
import Testing

@testable import GatehouseServer

@Suite("The probe of the public address")
struct PublicWatchTests {
    /// What the probes of a test find, one after the other; the last one from then on.
    private final class Findings: Sendable {
        let answers: Mutex<[PublicProbe.Answer]>
        let lines = Mutex<[String]>([])
        let asked = Mutex<[String]>([])

        init(_ answers: [PublicProbe.Answer]) {
            self.answers = Mutex(answers)
        }

        func watch(_ address: String?) -> PublicWatch {
            let certificate = ServedCertificate(notBefore: Timestamp(seconds: 0), notAfter: Timestamp(seconds: 2000))
            let log = Log(level: .info) { line in self.lines.withLock { $0.append(line) } }
            let probe = { @Sendable (address: PublicAddress) -> PublicProbe in
                self.asked.withLock { $0.append(address.host) }
                let answer = self.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return PublicProbe(answer: answer, certificate: certificate)
            }
            let now = { @Sendable in Timestamp(seconds: 1000) }
            return PublicWatch(address.flatMap(PublicAddress.init), now: now, log: log, probe: probe)
        }
    }

    private func text(_ watch: PublicWatch) -> [String] {
        var text = Exposition()
        watch.write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    /// An hour ahead, so that it is later than the moment from which a new watch is due.
    private let start = MonotonicTime.now + .seconds(3600)

    private func moment(_ seconds: Int64) -> MonotonicTime { start + .seconds(seconds) }

    @Test("is made every minute, and sooner after a failure")
    func pace() {
        let findings = Findings([.ours, .noConnection("x"), .ours])
        let watch = findings.watch("https://a.example")
        var counts: [Int] = []
        for seconds in [0, 1, 59, 61, 70, 77, 90, 138] as [Int64] {
            watch.probeIfDue(at: moment(seconds))
            counts.append(findings.asked.withLock { $0.count })
        }
        #expect(counts == [1, 1, 1, 2, 2, 3, 3, 4])
    }

    @Test("tells metrics what it found, and none where there is no address")
    func metrics() {
        #expect(text(Findings([.ours]).watch(nil)).isEmpty)
        let watch = Findings([.ours, .other(status: 404)]).watch("https://a.example")
        #expect(text(watch).allSatisfy { $0.hasSuffix(" NaN") } && text(watch).count == 3)
        watch.probeIfDue(at: moment(0))
        #expect(
            text(watch) == [
                "gatehouse_public_probe_success 1.0", "gatehouse_public_probe_timestamp_seconds 1000.0",
                "gatehouse_public_certificate_not_after_seconds 2000.0",
            ])
        watch.probeIfDue(at: moment(61))
        #expect(text(watch).first == "gatehouse_public_probe_success 0.0")
        watch.adopt(nil)
        #expect(text(watch).isEmpty)
    }

    @Test("counts as reached where a limit of nginx holds the probe back")
    func limited() {
        let limit = PublicProbe.Answer.problem(status: 429, code: "too_many_requests")
        let findings = Findings([.ours, limit, limit, limit])
        let watch = findings.watch("https://a.example")
        for round in 0..<4 { watch.probeIfDue(at: moment(Int64(round) * 61)) }
        #expect(text(watch).first == "gatehouse_public_probe_success 1.0")
        #expect(findings.lines.withLock { $0 } == [])
    }

    @Test("is logged once when it fails for the second time, and once when that is over")
    func log() {
        let findings = Findings([.late("x"), .ours, .late("x"), .late("x"), .late("x"), .late("x"), .ours, .ours])
        let watch = findings.watch("https://a.example")
        for round in 0..<8 { watch.probeIfDue(at: moment(Int64(round) * 61)) }
        let lines = findings.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\"warning\"") == true && lines.first?.contains("https://a.example") == true)
        #expect(lines.last?.contains("\"info\"") == true)
    }

    @Test("goes to another address at once when that is set, and leaves the same one alone")
    func adoption() {
        let findings = Findings([.ours])
        let watch = findings.watch("https://a.example")
        watch.probeIfDue(at: moment(0))
        watch.adopt(PublicAddress("https://a.example"))
        watch.probeIfDue(at: moment(1))
        watch.adopt(PublicAddress("https://b.example"))
        #expect(text(watch).allSatisfy { $0.hasSuffix(" NaN") })
        watch.probeIfDue(at: moment(2))
        #expect(findings.asked.withLock { $0 } == ["a.example", "b.example"])
    }
}
