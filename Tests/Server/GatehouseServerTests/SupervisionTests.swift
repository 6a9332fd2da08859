import Testing

@testable import GatehouseServer

@Suite("Reports to the service manager")
struct SupervisionTests {
    @Test("the status line has the rate since the last one")
    func status() {
        let start = ContinuousClock.now
        var line = StatusLine()
        var facts = StatusLine.Facts(answered: 7, failed: 1, connections: 1, keySetAge: nil, notReadyReason: nil)
        #expect(
            line.text(facts, at: start) == "0 requests/s, 1 failed, the last 0 s ago; 1 connection; no keys of Apple")
        facts = .init(answered: 4067, failed: 1, connections: 64, keySetAge: .seconds(200), notReadyReason: nil)
        #expect(
            line.text(facts, at: start + .seconds(5))
                == "812 requests/s, 1 failed, the last 5 s ago; 64 connections; Apple's keys 3 min old")
        facts.failed += 1
        facts.notReadyReason = "the disk is full"
        #expect(
            line.text(facts, at: start + .seconds(10))
                == "NOT READY: the disk is full; 0 requests/s, 2 failed, the last 0 s ago; 64 connections; "
                + "Apple's keys 3 min old")
    }

    @Test(
        "a small rate is not rounded to zero",
        arguments: [
            (0, "0"), (0.01, "<0.1"), (0.2, "0.2"), (0.25, "0.3"), (9.94, "9.9"), (9.96, "10"), (812.8, "813"),
        ] as [(Double, String)])
    func rates(_ rate: Double, _ text: String) {
        #expect(StatusLine.rate(rate) == text)
    }

    @Test("the status line has refused settings in addition to other faults")
    func refusal() {
        var facts = StatusLine.Facts(answered: 0, failed: 0, connections: 0, keySetAge: nil)
        facts.refusal = "refused: WORKERS"
        var line = StatusLine()
        let rates = "0 requests/s, none failed; 0 connections; no keys of Apple"
        #expect(line.text(facts, at: .now) == "refused: WORKERS; \(rates)")
        facts.notReadyReason = "the disk is full"
        #expect(line.text(facts, at: .now) == "NOT READY: the disk is full; refused: WORKERS; \(rates)")
    }

    @Test("the watchdog is notified in time even if one check fails", arguments: [1, 2, 30, 3600])
    func watchdog(_ seconds: Int) {
        let interval = Duration.seconds(seconds)
        let schedule = WatchdogSchedule(interval: interval)
        #expect(schedule.pause == interval / 2)
        #expect(schedule.pause + schedule.timeLimit + schedule.retry + schedule.timeLimit < interval)
    }

    @Test(
        "durations are abbreviated to their largest unit",
        arguments: [
            (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_800, "48 h"),
        ])
    func durations(_ seconds: Int, _ text: String) {
        #expect(Duration.seconds(seconds).abbreviated == text)
    }
}
