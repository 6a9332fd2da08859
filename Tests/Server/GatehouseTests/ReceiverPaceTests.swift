import Gatehouse
import Testing

@Suite("How fast a receiver gets events")
struct ReceiverPaceTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let later = now + QueuedEvent.patience

    private func event(attempts: Int64 = 0) -> QueuedEvent {
        QueuedEvent(
            number: 1, id: "evt_1", receiver: "shop",
            event: UserEvent(.disabled, of: UserID("user_1"), at: Self.now), attempts: attempts, dueAt: Self.now,
            expiresAt: Self.later)
    }

    private func record(
        _ outcome: EventOutcome, in pace: inout ReceiverPace, attempts: Int64 = 0, at now: Timestamp = now,
        uptime: Duration = .zero, isClockTrusted: Bool = true, chance: Double = 1
    ) -> EventStep {
        pace.record(
            outcome, of: event(attempts: attempts), at: now, uptime: uptime, isClockTrusted: isClockTrusted,
            chance: chance)
    }

    @Test("While a receiver cannot be reached, pauses double up to five minutes, and one event is sent after each")
    func unreachable() {
        var pace = ReceiverPace()
        #expect(pace.permitted == ReceiverPace.concurrency)
        var (uptime, pauses) = (Duration.zero, [Duration]())
        for _ in 0..<12 {
            let step = record(.unreachable("no answer"), in: &pace, uptime: uptime)
            let pause = (pace.pausedUntil ?? .zero) - uptime
            #expect(step == .postpone(until: Self.now + pause + .seconds(1), fault: "no answer"), "behind another one")
            #expect(pace.permitted == 1)
            let end = pace.pausedUntil ?? .zero
            #expect(pace.isPaused(at: uptime) && !pace.isPaused(at: end))
            pauses.append(end - uptime)
            uptime = end
        }
        #expect(pauses.map(\.wholeSeconds) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(record(.accepted, in: &pace, uptime: uptime) == .finish)
        #expect(pace == ReceiverPace())
    }

    @Test("Requests that were under way when a pause began do not make it longer")
    func concurrentFailures() {
        var pace = ReceiverPace()
        for _ in 0..<4 { _ = record(.unreachable("no answer"), in: &pace) }
        #expect(pace.pausedUntil == .seconds(1))
    }

    @Test(
        "A pause is at least as long as Retry-After, for a day at most",
        arguments: [(nil, 1), (.seconds(0), 1), (.seconds(90), 90), (.seconds(10_000_000), 86_400)]
            as [(Duration?, Int64)])
    func retryAfter(time: Duration?, seconds: Int64) {
        var pace = ReceiverPace()
        #expect(
            record(.busy(retryAfter: time, fault: "status 429"), in: &pace)
                == .postpone(until: Self.now + .seconds(seconds + 1), fault: "status 429"))
        #expect(pace.pausedUntil?.wholeSeconds == seconds)
    }

    @Test("A receiver that takes an event which was under way still gets nothing until the time that it has named")
    func namedTime() {
        var pace = ReceiverPace()
        _ = record(.busy(retryAfter: .seconds(90), fault: "status 429"), in: &pace)
        #expect(record(.accepted, in: &pace, uptime: .seconds(1)) == .finish)
        #expect(pace.isPaused(at: .seconds(89)) && !pace.isPaused(at: .seconds(90)))
        #expect(record(.accepted, in: &pace, uptime: .seconds(91)) == .finish)
        #expect(pace == ReceiverPace())
        _ = record(.unreachable("no answer"), in: &pace)
        #expect(record(.accepted, in: &pace) == .finish)
        #expect(pace == ReceiverPace(), "a failure among requests that succeed is no pause")
    }

    @Test("An event at which the receiver hangs waits longer each time, up to a minute, while it takes others")
    func poison() {
        let waits = [0, 1, 2, 5, 9, 10, 40].map { (attempts: Int64) in
            var pace = ReceiverPace()
            return record(.unreachable("no answer"), in: &pace, attempts: attempts)
        }
        let seconds: [Int64] = [2, 2, 4, 32, 60, 60, 60]
        #expect(waits == seconds.map { EventStep.postpone(until: Self.now + .seconds($0), fault: "no answer") })
    }

    @Test("A refused event waits longer each time, up to four hours, and delays no other user")
    func refused() {
        var pace = ReceiverPace()
        let delays = [0, 1, 2, 9, 11, 12, 40].map { ReceiverPace.delay(after: $0 + 1, chance: 1).wholeSeconds }
        #expect(delays == [5, 10, 20, 2560, 10_240, 14_400, 14_400])
        #expect(
            record(.refused("status 400"), in: &pace, attempts: 2)
                == .postpone(until: Self.now + .seconds(20), fault: "status 400"))
        #expect(pace.pausedUntil == nil && pace.permitted == ReceiverPace.concurrency)
    }

    @Test("Ten refusals in a row pause the receiver; one that is accepted in between does not")
    func refusals() {
        var pace = ReceiverPace()
        for _ in 0..<9 { _ = record(.refused("status 500"), in: &pace) }
        #expect(record(.accepted, in: &pace) == .finish)
        for _ in 0..<9 { _ = record(.refused("status 500"), in: &pace) }
        #expect(pace.pausedUntil == nil)
        _ = record(.refused("status 500"), in: &pace)
        #expect(pace.pausedUntil == .seconds(1))
    }

    @Test("Times are spread: between half of them and all")
    func jitter() {
        #expect(ReceiverPace.delay(after: 1, chance: 0) == .milliseconds(2500))
        var pace = ReceiverPace()
        _ = record(.unreachable("no answer"), in: &pace, chance: 0)
        #expect(pace.pausedUntil == .milliseconds(500))
    }

    @Test(
        "After three days an event is given up: alone if it is refused, with all expired ones if no event can be sent")
    func expiry() {
        var pace = ReceiverPace()
        #expect(record(.refused("status 400"), in: &pace, at: Self.later) == .giveUp(fault: "status 400"))
        #expect(record(.unreachable("no"), in: &pace, at: Self.later) == .giveUpExpired(fault: "no"))
        #expect(record(.busy(retryAfter: nil, fault: "no"), in: &pace, at: Self.later) == .giveUpExpired(fault: "no"))
        #expect(record(.accepted, in: &pace, at: Self.later) == .finish)
    }

    @Test("A node whose clock may be wrong gives up no event")
    func wrongClock() {
        var pace = ReceiverPace()
        #expect(
            record(.unreachable("no"), in: &pace, at: Self.later, isClockTrusted: false)
                == .postpone(until: Self.later + .seconds(2), fault: "no"))
        #expect(
            record(.refused("no"), in: &pace, at: Self.later, isClockTrusted: false)
                == .postpone(until: Self.later + .seconds(5), fault: "no"))
    }

    @Test("A receiver that is gone gets nothing more")
    func gone() {
        var pace = ReceiverPace()
        let step = record(.gone, in: &pace)
        if case .stop = step { return }
        Issue.record("the step is \(step)")
    }
}
