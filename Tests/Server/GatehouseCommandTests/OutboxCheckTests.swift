import Gatehouse
import Testing

@testable import GatehouseCommand

@Suite("The check of the outbox")
struct OutboxCheckTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func findings(
        configured: [String]? = ["shop"], stopped: Bool = false, waiting: Int = 0, age: Int64 = 0, dead: Int = 0
    ) -> [Finding] {
        let state = ReceiverState(
            subscription: EventSubscription(name: "shop", types: nil), seenAt: Self.now,
            stoppedAt: stopped ? Self.now : nil, waiting: waiting,
            oldest: waiting > 0 ? Self.now - .seconds(age) : nil, dead: dead)
        return OutboxCheck(database: nil, configured: configured).evaluate([state], now: Self.now)
    }

    @Test("Events that wait for some minutes are normal")
    func normal() {
        #expect(findings() == [.ok("nothing waits")])
        #expect(findings(waiting: 5, age: 599).map(\.grade) == [.ok])
    }

    @Test("Old events and a receiver that was stopped are faults, and dead letters are worth a note")
    func grades() {
        #expect(findings(waiting: 5, age: 700).map(\.grade) == [.fault])
        #expect(findings(stopped: true, waiting: 5, age: 700, dead: 1).map(\.grade) == [.fault])
        #expect(findings(dead: 3).map(\.grade) == [.note])
        #expect(findings(waiting: 5, age: 700, dead: 3).map(\.grade) == [.fault, .note])
    }

    @Test("Receivers that are only in the settings, or no longer there, are named")
    func settings() {
        #expect(findings(configured: [], waiting: 5, age: 700).map(\.grade) == [.note])
        #expect(findings(configured: ["shop", "forum"]).map(\.grade) == [.note])
        #expect(findings(configured: nil).map(\.grade) == [.ok])
        #expect(!OutboxCheck(database: nil, configured: []).isNeeded)
        #expect(!OutboxCheck(database: nil, configured: nil).isNeeded)
        #expect(OutboxCheck(database: nil, configured: ["shop"]).isNeeded)
    }
}
