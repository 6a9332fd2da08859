import Gatehouse
import GatehouseStore
import POSIX
import StandardWebhooks
import StoreSupport
import TestSupport
import Testing

@testable import EventDelivery

@Suite("The queue of a receiver")
struct ReceiverQueueTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = Timestamp(milliseconds: 1_760_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = try database.store()
        try store.register(["shop", "forum"].map { EventSubscription(name: $0, types: nil) }, now: noon)
    }

    private func receiver(_ name: String) throws -> EventReceiver {
        EventReceiver(
            name: name, url: "https://example.com/",
            secrets: try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    }

    /// Creates users, and disables and enables each some times.
    private func fill(users: Int, changes: Int) throws {
        for number in 1...users {
            let user = User(id: UserID("user_\(number)"), email: nil, nickname: nil, createdAt: noon)
            let session = Session(
                id: SessionID("sess_\(number)"), userID: user.id, provider: .dev, clientID: "app", device: .unknown,
                createdAt: noon,
                token: SessionToken(
                    generation: 1, random: [1], issuedAt: noon, expiresAt: noon + .seconds(60), hash: [1]),
                chain: TokenChain(seed: [1]))
            _ = try store.record(
                LoginFixture(of: user, session, as: Identity(provider: .dev, subject: "\(number)", email: nil)))
        }
        for change in 0..<changes {
            for number in 1...users {
                let user = UserID("user_\(number)")
                let audit = AuditEntry(.userDisabled, at: noon, userID: user)
                if change % 2 == 0 {
                    _ = try store.disable(user, recording: audit)
                } else {
                    _ = try store.enable(user, recording: audit)
                }
            }
        }
    }

    /// What a receiver has got, in the order of its answers.
    private typealias Ledger = Shared<[QueuedEvent]>

    private func queue(
        _ name: String, node: String = "a", isClockTrusted: Bool = true,
        content: @escaping @Sendable () -> Void = {}, send: @escaping @Sendable (QueuedEvent) -> EventOutcome
    ) throws -> ReceiverQueue {
        ReceiverQueue(
            try receiver(name),
            ReceiverQueue.Environment(
                store: store, node: node,
                content: { _ in
                    content()
                    return []
                }, send: { _, event, _ in send(event) },
                // So fast that no pause of an event lasts long.
                now: { [noon, start = ContinuousClock.now] in noon + start.duration(to: .now) * 100 },
                isClockTrusted: { isClockTrusted }, report: { _ in }))
    }

    private func run(_ queue: ReceiverQueue, while condition: () throws -> Bool) throws -> Bool {
        // More than there may be requests at once.
        let threads = try (0..<ReceiverPace.concurrency * 2).map { _ in try Thread.spawn(name: "test") { queue.run() } }
        defer {
            queue.end()
            for thread in threads { thread.join() }
        }
        return try Eventually.holds { try !condition() }
    }

    private func waiting(_ name: String) throws -> Int {
        try store.receiverStates().first { $0.subscription.name == name }?.waiting ?? -1
    }

    @Test("Every event arrives, and those of a user in their order, whatever the receiver answers in between")
    func order() throws {
        try fill(users: 7, changes: 12)
        let (ledger, calls) = (Ledger([]), Shared(0))
        let queue = try queue("shop") { event in
            let call = calls.change { count in
                count += 1
                return count
            }
            if call == 5 || call == 23 { return .unreachable("no answer") }
            ledger.change { $0.append(event) }
            // The answer to it may be lost, too.
            return call == 40 ? .unreachable("lost") : .accepted
        }
        #expect(try run(queue) { try waiting("shop") > 0 })
        for number in 1...7 {
            let own = ledger.value.filter { $0.event.userID.text == "user_\(number)" }.map(\.number)
            var firsts: [Int64] = []
            for event in own where !firsts.contains(event) { firsts.append(event) }
            #expect(firsts.count == 13 && firsts == firsts.sorted())
        }
        #expect(try waiting("forum") == 7 * 13)
    }

    @Test("No user has two events on their way at once, and at most four users have one")
    func concurrency() throws {
        try fill(users: 9, changes: 4)
        let (users, most, isDouble) = (Shared<[UserID]>([]), Shared(0), Shared(false))
        let queue = try queue("shop") { event in
            let user = event.event.userID
            let current = users.change { users in
                let isOnItsWay = users.contains(user)
                users.append(user)
                return (count: users.count, isDouble: isOnItsWay)
            }
            if current.isDouble { isDouble.change { $0 = true } }
            most.change { $0 = max($0, current.count) }
            Thread.yield()
            users.change { users in users.removeAll { $0 == user } }
            return .accepted
        }
        #expect(try run(queue) { try waiting("shop") > 0 })
        #expect(!isDouble.value && (1...ReceiverPace.concurrency).contains(most.value))
    }

    @Test("Of two nodes one sends at a time, and the other goes on after it has released the receiver")
    func nodes() throws {
        try fill(users: 4, changes: 3)
        let (first, second) = (Ledger([]), Ledger([]))
        let one = try queue("shop", node: "a") { event in
            first.change { $0.append(event) }
            return .accepted
        }
        #expect(try store.hold("shop", by: "a", for: ReceiverQueue.lease))
        let other = try queue("shop", node: "b") { event in
            second.change { $0.append(event) }
            return .accepted
        }
        let isPartDone = try run(other) { try !run(one) { try waiting("shop") > 6 } }
        #expect(isPartDone && second.value.isEmpty)
        one.release()
        let next = try queue("shop", node: "b") { event in
            second.change { $0.append(event) }
            return .accepted
        }
        #expect(try run(next) { try waiting("shop") > 0 })
        #expect(Set(first.value.map(\.number)).isDisjoint(with: second.value.map(\.number)))
        #expect(first.value.count + second.value.count == 16)
    }

    @Test("A receiver that is gone gets nothing more from the node that sent to it")
    func gone() throws {
        try fill(users: 5, changes: 1)
        let calls = Shared(0)
        let queue = try queue("shop") { _ in
            calls.change { $0 += 1 }
            return .gone
        }
        #expect(try run(queue) { try store.receiverStates().last?.stoppedAt == nil })
        #expect(calls.value <= ReceiverPace.concurrency)
        #expect(try waiting("shop") == 10)
    }

    @Test(
        "What is given up is kept as a dead letter",
        arguments: [EventOutcome.refused("status 400"), .unreachable("no answer")])
    func givenUp(outcome: EventOutcome) throws {
        try fill(users: 2, changes: 1)
        try database.execute("UPDATE events SET attempts = 1, expires_at = 1")
        let dead = EventQuery(receiver: "shop", onlyDead: true, limit: 9)
        #expect(try run(queue("shop") { _ in outcome }) { try store.events(dead).count < 4 })
        #expect(try store.events(dead).allSatisfy { $0.fault != nil } && waiting("shop") == 0)
    }

    @Test(
        "A node whose clock may be wrong keeps sending what has expired",
        arguments: [EventOutcome.refused("status 400"), .unreachable("no answer")])
    func untrustedClock(outcome: EventOutcome) throws {
        try fill(users: 1, changes: 0)
        try database.execute("UPDATE events SET attempts = 1, expires_at = 1 WHERE receiver = 'shop'")
        let isSent = try run(queue("shop", isClockTrusted: false) { _ in outcome }) {
            try !store.events(EventQuery(receiver: "shop", limit: 9)).contains { $0.attempts > 1 }
        }
        #expect(try isSent && waiting("shop") == 1)
    }

    @Test("After a failure one event is sent at a time")
    func probe() throws {
        try fill(users: 6, changes: 0)
        let (current, calls, isDouble) = (Shared(0), Shared(0), Shared(false))
        let queue = try queue("shop") { _ in
            let (count, call) = (current.increment(), calls.increment())
            // The first ones were under way when one of them failed.
            if count > 1, call > ReceiverPace.concurrency { isDouble.change { $0 = true } }
            Thread.pause(for: .milliseconds(50))
            current.change { $0 -= 1 }
            return .unreachable("no answer")
        }
        #expect(try run(queue) { calls.value < ReceiverPace.concurrency + 2 })
        #expect(!isDouble.value)
    }

    @Test("A request that could last longer than the lease does not begin, also where the database was slow")
    func endOfLease() throws {
        try fill(users: 6, changes: 0)
        let (reads, isTaken, sent) = (Shared(0), Shared(false), Shared(0))
        let queue = try queue(
            "shop",
            content: { [database] in
                // While all requests wait for their content, none prolongs the lease.
                guard reads.increment() == 1 else {
                    _ = Eventually.holds { isTaken.value }
                    return
                }
                Thread.pause(for: ReceiverQueue.lease - EventSender.timeLimit + .milliseconds(500))
                try? database.execute("UPDATE event_receivers SET holder = 'b', held_until = held_until + 60000")
                isTaken.change { $0 = true }
            },
            send: { _ in
                _ = sent.increment()
                return .accepted
            })
        #expect(try run(queue) { !isTaken.value })
        #expect(sent.value == 0)
    }

    @Test("An operator who has events sent again ends the pause of the receiver")
    func retry() throws {
        try fill(users: 2, changes: 1)
        let isUp = Shared(false)
        let queue = try queue("shop") { _ in
            isUp.value ? .accepted : .busy(retryAfter: .seconds(80_000), fault: "status 503")
        }
        let isPaused = { try store.events(EventQuery(receiver: "shop", limit: 9)).contains { $0.attempts > 0 } }
        var now = noon
        let isDone = try run(queue) {
            guard try isUp.value || isPaused() else { return true }
            if !isUp.value {
                isUp.change { $0 = true }
                return true
            }
            // Another event may have failed since the last command, which began a new pause.
            now = now + .seconds(1)
            _ = try store.retry(EventQuery(receiver: "shop", limit: 100), now: now)
            return try waiting("shop") > 0
        }
        #expect(isDone)
    }

    @Test("A command of the operator that comes while the first request fails ends the pause that follows")
    func earlyRetry() throws {
        try fill(users: 2, changes: 1)
        let all = EventQuery(receiver: "shop", limit: 9)
        let queue = try queue("shop") { [store, noon] event in
            if event.event.userID.text == "user_2" {
                // So that the second event of this user waits for the end of the pause.
                _ = Eventually.holds { (try? store.events(all).contains { $0.attempts > 0 }) == true }
                return .accepted
            }
            _ = try? store.retry(all, now: noon)
            return .busy(retryAfter: .seconds(80_000), fault: "status 503")
        }
        #expect(try run(queue) { try waiting("shop") > 2 })
    }

    @Test("While the database fails, nothing is lost: what was sent but not recorded is sent again")
    func failingStore() throws {
        // The table may be back before the sender, which has lost the processor, records the first event.
        for _ in 0..<5 where try ReceiverQueueTests().sendsAgain() { return }
        Issue.record("nothing was sent again")
    }

    private func sendsAgain() throws -> Bool {
        try fill(users: 2, changes: 1)
        let ledger = Ledger([])
        let isFirst = Shared(true)
        let database = database
        let queue = try queue("shop") { event in
            ledger.change { $0.append(event) }
            let breaks = isFirst.change { first in
                defer { first = false }
                return first
            }
            if breaks { try? database.execute("ALTER TABLE events RENAME TO lost_events") }
            return .accepted
        }
        #expect(
            try run(queue) {
                if !isFirst.value, (try? database.number("SELECT count(*) FROM lost_events")) ?? -1 >= 0 {
                    try database.execute("ALTER TABLE lost_events RENAME TO events")
                }
                return ((try? waiting("shop")) ?? 1) > 0
            })
        #expect(Set(ledger.value.map(\.number)).count == 4)
        return ledger.value.count > 4
    }
}
