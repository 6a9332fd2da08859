import Foundation
import JSON
import TestSupport
import Testing

@Suite("A service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    @Test("hears that the server is ready, what it does, and that it stops")
    func told() throws {
        let house = try ManagedHouse()
        #expect(try house.devLogin("told@example.com").status == 200)
        let form = /[0-9.<]+ requests\/s, none failed; [0-9]+ connections?; Apple's keys [0-9]+ s old/
        #expect(Eventually.holds { house.manager.status.wholeMatch(of: form) != nil }, "\(house.manager.status)")
        house.process.signal(SIGHUP)
        #expect(Eventually.holds { house.manager.count(of: "READY=1") == 2 })
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 0)
        let lines = house.manager.lines.filter { !$0.hasPrefix("STATUS=") && !$0.hasPrefix("MONOTONIC_USEC=") }
        #expect(lines == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1", "BARRIER=1"])
        let reload = house.manager.lines.firstIndex(of: "RELOADING=1") ?? 0
        #expect(house.manager.lines[reload + 1].hasPrefix("MONOTONIC_USEC="))
    }

    @Test("is told the same status once")
    func quiet() throws {
        let house = try ManagedHouse()
        Thread.sleep(forTimeInterval: 12)
        let statuses = house.manager.lines.filter { $0.hasPrefix("STATUS=") }
        #expect(statuses.count < 4, "\(statuses)")
    }

    @Test("hears that the server is alive as long as it answers, and no longer")
    func watchdog() throws {
        let house = try ManagedHouse(watchdog: 2) { $0["WORKERS"] = "3" }
        func alive() -> Int { house.manager.count(of: "WATCHDOG=1") }
        #expect(Eventually.holds { alive() >= 3 })
        do {
            let lock = try StoreLock(of: house.database)
            Thread.sleep(forTimeInterval: 2)
            let before = alive()
            Thread.sleep(forTimeInterval: 4)
            #expect(alive() == before)
            #expect(house.manager.status.contains("does not answer itself"))
            withExtendedLifetime(lock) {}
        }
        let before = alive()
        #expect(Eventually.holds(within: 40) { alive() > before + 2 })
        #expect(Eventually.holds { house.manager.status.contains("requests/s") })
    }

    @Test("hears that the server is alive although Apple is away")
    func appleAway() throws {
        let house = try ManagedHouse(watchdog: 2, apple: .hangingUp)
        #expect(Eventually.holds { house.manager.count(of: "WATCHDOG=1") >= 3 })
        #expect(house.manager.status.contains("Apple's keys are not at hand"))
        let answer = try house.send(.get("/readyz"))
        try expectUnready(answer, part: "apple_keys", saying: "APPLE_JWKS_URL")
        #expect(try house.send(.get("/healthz")).status == 200)
        house.apple.behave()
        #expect(Eventually.holds(within: 40) { (try? house.send(.get("/readyz")).status) == 200 })
    }

    @Test("hears that the server is alive although the disk is full, and an idle server knows when it is not any more")
    func fullDisk() throws {
        let house = try ManagedHouse(wrapper: ["prlimit", "--fsize=524288:unlimited", "--"], watchdog: 2)
        _ = Eventually.holds(within: 60) {
            (try? house.devLogin("crowd-\(UUID().uuidString)@example.com").status) == 503
        }
        let answer = try house.send(.get("/readyz"))
        try expectUnready(answer, part: "store_write", saying: "room")
        #expect(try house.send(.get("/healthz")).status == 200)
        let outcome = try house.health()
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("FAULT  the last write failed: "))
        let before = house.manager.count(of: "WATCHDOG=1")
        #expect(Eventually.holds { house.manager.count(of: "WATCHDOG=1") > before + 2 })
        #expect(Eventually.holds { house.manager.status.hasPrefix("NOT READY: the last write failed") })
        try Shell.run(["prlimit", "--fsize=unlimited:unlimited", "--pid", "\(house.process.identifier)"])
        #expect(Eventually.holds(within: 40) { !house.manager.status.contains("NOT READY") })
        #expect(Eventually.holds { (try? house.send(.get("/readyz")).status) == 200 })
        #expect(try house.health().status == 0)
    }

    private func expectUnready(_ answer: Answer, part: String, saying word: String) throws {
        expectProblem(answer, 503, "not_ready")
        #expect(answer["ready"] == false)
        let parts = answer["parts"]?.array?.compactMap(\.object) ?? []
        #expect(parts.filter { $0["ready"] == false }.map { $0["name"]?.string } == [part])
        let detail = parts.first { $0["ready"] == false }?["detail"]?.string ?? ""
        #expect(detail.contains(word), "\(detail)")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("g.db"))
    }

    @Test("hears that a server is alive that lets nobody in any more")
    func atTheLimit() throws {
        let house = try ManagedHouse(wrapper: ["prlimit", "--nofile=200:200", "--"], watchdog: 2) {
            $0["WORKERS"] = "4"
        }
        let crowd = (0..<300).compactMap { _ in try? house.connect() }
        #expect(Eventually.holds { house.log.contains("tooManyConnections") })
        let before = house.manager.count(of: "WATCHDOG=1")
        #expect(Eventually.holds { house.manager.count(of: "WATCHDOG=1") > before + 2 })
        withExtendedLifetime(crowd) {}
    }

    @Test("hears that a server is alive whose socket's path somebody has taken away")
    func pathGone() throws {
        let house = try ManagedHouse(watchdog: 2)
        try FileManager.default.removeItem(atPath: house.socket)
        let before = house.manager.count(of: "WATCHDOG=1")
        #expect(Eventually.holds { house.manager.count(of: "WATCHDOG=1") > before + 2 })
    }

    @Test("that asks twice is obeyed at once")
    func impatient() throws {
        let house = try ManagedHouse()
        let peer = try house.connect()
        try peer.send(Array(ServedHouse.bytes(of: .get("/api/users/me")).prefix(30)))
        #expect(Eventually.holds { house.manager.status.contains("requests/s") })
        usleep(100_000)
        house.process.signal(SIGTERM)
        #expect(Eventually.holds { house.log.contains("\"stopping\"") })
        #expect(house.process.wait(atMost: 0.5) == nil)
        let start = Date()
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 128 + SIGTERM)
        #expect(Date().timeIntervalSince(start) < 5)
    }
}
