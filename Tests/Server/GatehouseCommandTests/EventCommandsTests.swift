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
        #expect(try registry.run("users", "disable", "user_1").status == 0)
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
        let page = try registry.run("events", "list", "--limit", "3")
        #expect(page.status == 0 && page.errorOutput.contains("--after"), "\(page.everything)")
        let third = try registry.store.events(EventQuery(limit: 3)).last?.number ?? 0
        #expect(try events(["--after", "\(third)"]).count == 1)
    }

    @Test("show has every detail of an event, and nothing of a user but the id")
    func show() throws {
        let id = try #require(try events(["--receiver", "forum"]).first?.object?["id"]?.string)
        let shown = try registry.run("events", "show", id)
        #expect(shown.status == 0 && shown.text.contains("shop") && shown.text.contains("forum"))
        #expect(!shown.text.contains("example.com"))
        #expect(try registry.run("events", "show", "evt_unknown").status == 1)
    }

    @Test("retry makes dead letters due again, and exits 1 if there is none")
    func retry() throws {
        let queued = try #require(try registry.store.events(EventQuery(receiver: "forum", limit: 1)).first)
        try registry.store.postpone(queued, until: nil, fault: "status 400", now: Registry.noon)
        #expect(try types("--dead") == ["user.disabled"])
        #expect(try registry.run("events", "retry", "--dead", "--receiver", "shop").status == 1)
        let misspelt = try registry.run("events", "retry", "--receiver", "shoop")
        #expect(misspelt.status == 1 && misspelt.errorOutput.contains("gatehouse events receivers"))
        #expect(try registry.json("events", "retry", "--dead") == ["events": 1])
        #expect(try types("--dead") == [])
        #expect(try registry.json("events", "retry", queued.id) == ["events": 2], "one for each receiver")
    }

    @Test("discard deletes dead letters, and nothing that waits")
    func discard() throws {
        let queued = try #require(try registry.store.events(EventQuery(receiver: "forum", limit: 1)).first)
        try registry.store.postpone(queued, until: nil, fault: "status 400", now: Registry.noon)
        #expect(try registry.json("events", "discard", "--receiver", "forum") == ["events": 1])
        #expect(try registry.run("events", "discard", "--receiver", "shop").status == 1)
        #expect(try types() == ["user.created", "user.created", "user.disabled"])
    }

    @Test("forget removes a receiver after a confirmation")
    func forget() throws {
        #expect(try registry.run("events", "forget", "shop").status == 2)
        #expect(try registry.run("events", "forget", "unknown", "--yes").status == 1)
        #expect(try registry.run("events", "forget", "shop", "--yes").status == 0)
        #expect(try registry.store.receiverStates().map(\.name) == ["forum"])
    }

    @Test("receivers shows what waits for each, and resume starts one that was stopped")
    func receivers() throws {
        try registry.store.stop("shop", now: Registry.noon)
        let receivers = try registry.json("events", "receivers").object?["receivers"]?.array?.map(\.object) ?? []
        #expect(receivers.map { $0?["name"]?.string } == ["forum", "shop"])
        #expect(receivers.map { $0?["waiting"] } == [1, 3])
        #expect(receivers.map { $0?["stoppedAt"] == .null } == [true, false])
        let retry = try registry.run("events", "retry", "--receiver", "shop")
        #expect(retry.status == 0 && retry.errorOutput.contains("gatehouse events resume shop"))
        #expect(try registry.run("events", "resume", "shop").text == "shop gets events\n")
        #expect(try registry.store.receiverStates().allSatisfy { $0.stoppedAt == nil })
        #expect(try registry.run("events", "resume", "unknown").status == 1)
    }

    @Test(
        "Wrong usage is refused with status 2",
        arguments: [
            ["retry"], ["discard"], ["list", "--limit", "0"], ["list", "--after", "x"], ["show"], ["resume"],
            ["receivers", "shop"],
            ["list", "--unknown"],
        ])
    func usage(words: [String]) throws {
        let outcome = try registry.run(["events"] + words)
        #expect(outcome.status == 2 && !outcome.errorOutput.isEmpty)
    }
}
