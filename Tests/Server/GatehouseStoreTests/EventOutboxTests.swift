import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("The outbox of events")
struct EventOutboxTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon

    init() throws {
        (database, store) = try TestDatabase.opened()
        try store.register(["shop", "forum"].map { EventSubscription(name: $0, types: nil) }, now: noon)
    }

    /// Creates users, and renames each some times.
    private func fill(users: Int, renamings: Int = 0) throws {
        for number in 1...users { try store.signUp(number) }
        for renaming in 0..<renamings {
            for number in 1...users {
                _ = try store.update(
                    UserID("user_\(number)"), ProfileChange(nickname: "Name \(renaming)"), now: noon + .seconds(1))
            }
        }
    }

    private func due(_ receiver: String = "shop", at now: Timestamp? = nil, limit: Int = 100) throws -> [QueuedEvent] {
        try store.dueEvents(for: receiver, now: now ?? noon + .seconds(1), limit: limit)
    }

    @Test("Of each user only the oldest event is due, at each receiver for itself")
    func order() throws {
        try fill(users: 3, renamings: 2)
        var types: [[EventType]] = []
        while let first = try due().first {
            let events = try due()
            #expect(events.first == first)
            #expect(events.map(\.number) == events.map(\.number).sorted())
            #expect(Set(events.map(\.event.userID)).count == events.count)
            types.append(events.map(\.event.type))
            for event in events { try store.finish(event) }
        }
        #expect(
            types == [[.userCreated, .userCreated, .userCreated]]
                + Array(repeating: [.userUpdated, .userUpdated, .userUpdated], count: 2))
        #expect(try due("forum").count == 3)
        #expect(try due("forum", limit: 2).count == 2)
        #expect(try due("another").isEmpty)
    }

    @Test("A postponed event holds back the later ones of its user alone, and is counted")
    func postponed() throws {
        try fill(users: 2, renamings: 1)
        let event = try #require(try due().first)
        try store.postpone(event, until: noon + .seconds(60), fault: "status 500", now: noon)
        #expect(try due().map(\.event.userID.text) == ["user_2"])
        let again = try #require(try due(at: noon + .seconds(60)).first)
        #expect(again.number == event.number && again.attempts == 1 && again.fault == "status 500")
        try store.postpone(event, until: noon + .seconds(600), fault: "late", now: noon)
        #expect(try due(at: noon + .seconds(60)).first == again, "a report of an earlier attempt changes nothing")
    }

    @Test("An event that a wrong clock has postponed beyond any delay is due")
    func wrongClock() throws {
        try fill(users: 1)
        let event = try #require(try due().first)
        try store.postpone(event, until: noon + .seconds(400 * 86_400), fault: "no", now: noon)
        #expect(try due().map(\.number) == [event.number])
    }

    @Test("A dead letter is kept and listed, does not hold back its user, and is sent again first")
    func deadLetters() throws {
        try fill(users: 1, renamings: 1)
        let event = try #require(try due().first)
        try store.postpone(event, until: nil, fault: "status 400", now: noon + .seconds(5))
        #expect(try due().map(\.event.type) == [.userUpdated])
        let dead = try store.events(EventQuery(receiver: "shop", onlyDead: true, limit: 10))
        #expect(dead.map(\.number) == [event.number] && dead.first?.deadAt == noon + .seconds(5))
        #expect(try store.receiverStates().map(\.dead) == [0, 1])
        #expect(try store.retry(EventQuery(id: event.id, onlyDead: true, limit: 10), now: noon) == 1)
        let again = try #require(try due().first)
        #expect(again.number == event.number && again.attempts == 0 && again.deadAt == nil)
        #expect(again.expiresAt == nil, "its three days begin again with the next failure")
    }

    @Test(
        "An event expires three days after its first failure, by the clock of the node that sent it, and never unsent")
    func expired() throws {
        try fill(users: 4)
        let events = try due()
        for (event, hours) in zip(events.dropLast(), [0, 1, 2]) {
            let moment = noon + .seconds(Int64(hours) * 3600)
            try store.postpone(event, until: moment, fault: "no answer", now: moment)
            try store.postpone(
                try #require(try store.events(EventQuery(id: event.id, limit: 9)).first { $0.receiver == "shop" }),
                until: moment, fault: "no answer", now: moment + .seconds(86_400))
        }
        let end = noon + QueuedEvent.patience + .seconds(3600)
        #expect(try store.expireEvents(for: "shop", fault: "no answer", now: noon + .seconds(86_400)) == 0)
        #expect(try store.expireEvents(for: "shop", fault: "no answer", now: end) == 2)
        #expect(try due(at: end).count == 2)
        #expect(try due("forum", at: end).count == 4)
        let state = try #require(try store.receiverStates().last)
        #expect(state.name == "shop" && state.dead == 2 && state.waiting == 2)
    }

    @Test("A clock that was wrong when an event was written neither delays it nor gives it up")
    func writersClock() throws {
        for (number, days) in [(1, -30), (2, 30)] {
            let user = User(
                id: UserID("user_\(number)"), email: nil, nickname: nil,
                createdAt: noon + .seconds(Int64(days) * 86_400))
            let identity = SampleLogin.identity("s\(number)")
            _ = try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity, at: user.createdAt))
        }
        #expect(try due().count == 2)
        #expect(try store.expireEvents(for: "shop", fault: "no", now: noon) == 0)
    }

    @Test("One node at a time sends to a receiver, until it releases it or its lease ends")
    func lease() throws {
        #expect(try store.hold("shop", by: "a", for: .seconds(60)))
        #expect(try store.hold("shop", by: "a", for: .seconds(60)))
        #expect(try !store.hold("shop", by: "b", for: .seconds(60)))
        #expect(try store.hold("forum", by: "b", for: .seconds(60)))
        try store.release("shop", by: "b")
        #expect(try !store.hold("shop", by: "b", for: .seconds(60)))
        try store.release("shop", by: "a")
        #expect(try store.hold("shop", by: "b", for: .zero))
        #expect(try store.hold("shop", by: "a", for: .seconds(60)))
        #expect(try !store.hold("unknown", by: "a", for: .seconds(60)))
        try database.execute("UPDATE event_receivers SET held_until = held_until + 86400000")
        #expect(try store.hold("shop", by: "b", for: .seconds(60)), "the clock of the database was wrong")
    }

    @Test("Of many nodes that ask at the same time, one holds the receiver")
    func race() throws {
        let held = try Concurrently.run(12) { number in
            try store.hold("shop", by: "node \(number)", for: .seconds(60))
        }
        #expect(held.filter { $0 }.count == 1)
    }

    @Test("A receiver that was stopped is held by no node until it is resumed; its events wait")
    func stopped() throws {
        try fill(users: 1)
        try store.stop("shop", now: noon)
        #expect(try !store.hold("shop", by: "a", for: .seconds(60)))
        try store.register([EventSubscription(name: "shop", types: nil)], now: noon + .seconds(1))
        #expect(try store.receiverStates().map(\.stoppedAt) == [nil, noon], "new settings do not resume it")
        #expect(try store.resume("shop", now: noon) && !store.resume("unknown", now: noon))
        #expect(try store.hold("shop", by: "a", for: .seconds(60)))
        #expect(try due().count == 1)
    }

    @Test("What waits for a receiver that is resumed has three days again")
    func resumed() throws {
        try fill(users: 1)
        try store.postpone(try #require(try due().first), until: noon + .seconds(900), fault: "status 410", now: noon)
        try store.stop("shop", now: noon)
        #expect(try store.resume("shop", now: noon + .seconds(10 * 86_400)))
        let event = try #require(try due().first)
        #expect(event.expiresAt == nil && event.attempts == 1)
    }

    @Test("Concurrent changes of one user are queued in the order in which they took effect")
    func concurrentChanges() throws {
        try fill(users: 1)
        for event in try due() { try store.finish(event) }
        let audit = AuditEntry(.userDisabled, at: noon, userID: UserID("user_1"))
        _ = try Concurrently.run(8) { number in
            for _ in 0..<5 {
                if number % 2 == 0 {
                    _ = try store.disable(UserID("user_1"), recording: audit)
                } else {
                    _ = try store.enable(UserID("user_1"), recording: audit)
                }
            }
            return true
        }
        let types = try store.events(EventQuery(receiver: "shop", limit: 100)).map(\.event.type)
        #expect(types.first == .userDisabled)
        #expect(zip(types, types.dropFirst()).allSatisfy { $0 != $1 }, "\(types)")
        let isDisabled = try store.user(UserID("user_1"))?.status == .disabled
        #expect(types.last == (isDisabled ? .userDisabled : .userEnabled))
    }

    @Test("Dead letters are deleted with the audit trail of their time, those of each receiver")
    func oldDeadLetters() throws {
        try fill(users: 2)
        for receiver in ["forum", "shop"] {
            for (event, seconds) in zip(try due(receiver), [10, 20]) {
                try store.postpone(event, until: nil, fault: "no", now: noon + .seconds(seconds))
            }
        }
        try store.purgeAll(PurgeLimits(at: noon, audit: noon + .seconds(15)))
        #expect(try store.receiverStates().map(\.dead) == [1, 1])
    }

    @Test("A receiver keeps its events whatever the clock says, until an operator has it forgotten")
    func forgotten() throws {
        try fill(users: 2)
        try store.purgeAll(PurgeLimits(at: noon + .seconds(400 * 86_400), audit: noon))
        #expect(try store.receiverStates().map(\.waiting) == [2, 2])
        #expect(try store.forget("forum", limit: 1) && store.forget("forum", limit: 1))
        #expect(try !store.forget("forum", limit: 1) && !store.forget("unknown", limit: 1))
        #expect(try store.events(EventQuery(limit: 10)).map(\.receiver) == ["shop", "shop"])
    }
}
