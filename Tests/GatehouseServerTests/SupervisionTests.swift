import Testing

@testable import GatehouseServer

@Suite("What the service manager is told")
struct SupervisionTests {
    @Test("is a line with rates since the last one")
    func status() {
        let start = ContinuousClock.now
        var line = StatusLine()
        var facts = StatusLine.Facts(answered: 7, failed: 1, connections: 1, keySetAge: nil, complaint: nil)
        #expect(
            line.text(facts, at: start) == "0 requests/s, 1 failed, the last 0 s ago; 1 connection; no keys of Apple's")
        facts = .init(answered: 4067, failed: 1, connections: 64, keySetAge: .seconds(200), complaint: nil)
        #expect(
            line.text(facts, at: start + .seconds(5))
                == "812 requests/s, 1 failed, the last 5 s ago; 64 connections; Apple's keys 3 min old")
        facts.failed += 1
        facts.complaint = "the disk is full"
        #expect(
            line.text(facts, at: start + .seconds(10))
                == "NOT READY: the disk is full; 0 requests/s, 2 failed, the last 0 s ago; 64 connections; "
                + "Apple's keys 3 min old")
    }

    @Test(
        "has rates that are not rounded to nothing",
        arguments: [
            (0, "0"), (0.01, "<0.1"), (0.2, "0.2"), (0.25, "0.3"), (9.94, "9.9"), (9.96, "10"), (812.8, "813"),
        ] as [(Double, String)])
    func rates(_ rate: Double, _ text: String) {
        #expect(StatusLine.rate(rate) == text)
    }

    @Test("says that none failed, until one has")
    func noFailure() {
        var line = StatusLine()
        let facts = StatusLine.Facts(answered: 1, failed: 0, connections: 2, keySetAge: nil, complaint: nil)
        #expect(line.text(facts, at: .now).contains("none failed"))
    }

    @Test("tells of settings that were refused, beside what else is wrong")
    func refusal() {
        var facts = StatusLine.Facts(answered: 0, failed: 0, connections: 0, keySetAge: nil)
        facts.refusal = "refused: WORKERS"
        var line = StatusLine()
        let rates = "0 requests/s, none failed; 0 connections; no keys of Apple's"
        #expect(line.text(facts, at: .now) == "refused: WORKERS; \(rates)")
        facts.complaint = "the disk is full"
        #expect(line.text(facts, at: .now) == "NOT READY: the disk is full; refused: WORKERS; \(rates)")
    }

    @Test("is that we are alive, in time although a check fails once", arguments: [1, 2, 30, 3600])
    func pace(_ seconds: Int) {
        let interval = Duration.seconds(seconds)
        let pace = WatchdogPace(interval: interval)
        #expect(pace.pause == interval / 2)
        #expect(pace.pause + pace.patience + pace.retry + pace.patience < interval)
    }

    @Test(
        "has ages in words",
        arguments: [
            (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_800, "48 h"),
        ])
    func words(_ seconds: Int, _ text: String) {
        #expect(Duration.seconds(seconds).inWords == text)
    }
}
