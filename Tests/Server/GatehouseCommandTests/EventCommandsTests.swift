import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse events")
struct EventCommandsTests {
    private let registry: Registry

    /// Two users, of whom each receiver has two events.
    init() throws {
        registry = try Registry()
        try registry.store.register(
            [EventSubscription(name: "shop", types: nil), EventSubscription(name: "forum", types: [.userDisabled])],
            now: Registry.noon)
        for number in ["1", "2"] { _ = try registry.add(number, email: "user\(number)@example.com") }
        try registry.run("users", "disable", "user_1").expect(0)
    }

    private func events(_ words: [String]) throws -> [JSONValue] {
        let outcome = try registry.run(["events", "list", "--json"] + words)
        return try JSONValue(parsing: outcome.output).object?["events"]?.array ?? []
    }

    private func types(_ words: String...) throws -> [String?] {
        try events(words).map { $0.object?["type"]?.string }
    }

    @Test("list shows what each receiver has not been told, page by page, by receiver and by user")
    func list() throws {
        #expect(try types() == ["user.created", "user.created", "user.disabled", "user.disabled"])
        #expect(try types("--receiver", "forum") == ["user.disabled"])
        #expect(try types("--user", "user_2") == ["user.created"])
        #expect(try types("--dead") == [])
        try registry.run("events", "list", "--limit", "3").expect(0, saying: "--after")
        let third = try registry.store.events(EventQuery(limit: 3)).last?.number ?? 0
        #expect(try events(["--after", "\(third)"]).count == 1)
    }

    @Test("show has every detail of an event, and nothing of a user but the id")
    func show() throws {
        let id = try #require(try events(["--receiver", "forum"]).first?.object?["id"]?.string)
        let shown = try registry.run("events", "show", id)
        shown.expect(0, printing: "shop", "forum")
        #expect(!shown.text.contains("example.com"))
        try registry.run("events", "show", "evt_unknown").expect(1)
    }

    @Test("retry makes dead letters due again, and exits 1 if there is none")
    func retry() throws {
        let queued = try #require(try registry.store.events(EventQuery(receiver: "forum", limit: 1)).first)
        try registry.store.postpone(queued, until: nil, fault: "status 400", now: Registry.noon)
        #expect(try types("--dead") == ["user.disabled"])
        try registry.run("events", "retry", "--dead", "--receiver", "shop").expect(1)
        try registry.run("events", "retry", "--receiver", "shoop").expect(1, saying: "gatehouse events receivers")
        #expect(try registry.json("events", "retry", "--dead") == ["events": 1])
        #expect(try types("--dead") == [])
        #expect(try registry.json("events", "retry", queued.id) == ["events": 2], "one for each receiver")
    }

    @Test("discard deletes dead letters, and nothing that waits")
    func discard() throws {
        let queued = try #require(try registry.store.events(EventQuery(receiver: "forum", limit: 1)).first)
        try registry.store.postpone(queued, until: nil, fault: "status 400", now: Registry.noon)
        #expect(try registry.json("events", "discard", "--receiver", "forum") == ["events": 1])
        try registry.run("events", "discard", "--receiver", "shop").expect(1)
        #expect(try types() == ["user.created", "user.created", "user.disabled"])
    }

    @Test("forget removes a receiver after a confirmation")
    func forget() throws {
        try registry.run("events", "forget", "shop").expect(2)
        try registry.run("events", "forget", "unknown", "--yes").expect(1)
        try registry.run("events", "forget", "shop", "--yes").expect(0)
        #expect(try registry.store.receiverStates().map(\.name) == ["forum"])
    }

    @Test("receivers shows what waits for each, and resume starts one that was stopped")
    func receivers() throws {
        try registry.store.stop("shop", now: Registry.noon)
        let receivers = try registry.json("events", "receivers").object?["receivers"]?.array?.map(\.object) ?? []
        #expect(receivers.map { $0?["name"]?.string } == ["forum", "shop"])
        #expect(receivers.map { $0?["waiting"] } == [1, 3])
        #expect(receivers.map { $0?["stoppedAt"] == .null } == [true, false])
        try registry.run("events", "retry", "--receiver", "shop").expect(0, saying: "gatehouse events resume shop")
        #expect(try registry.run("events", "resume", "shop").text == "shop gets events\n")
        #expect(try registry.store.receiverStates().allSatisfy { $0.stoppedAt == nil })
        try registry.run("events", "resume", "unknown").expect(1)
    }

    @Test(
        "Wrong usage is refused with status 2",
        arguments: [
            ["retry"], ["discard"], ["list", "--limit", "0"], ["list", "--after", "x"], ["show"], ["resume"],
            ["receivers", "shop"], ["list", "--unknown"],
        ])
    func usage(words: [String]) throws {
        let outcome = try registry.run(["events"] + words)
        #expect(outcome.status == 2 && !outcome.errorOutput.isEmpty)
    }
}
