import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Service manager notifications", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    @Test("The manager is notified of readiness, reloads, status and stopping")
    func notifications() throws {
        let server = try ManagedServer()
        #expect(try server.devLogin("status@example.com").status == 200)
        let form = /[0-9.<]+ requests\/s, none failed; [0-9]+ connections?; Apple's keys [0-9]+ s old/
        #expect(
            Eventually.holds { server.manager.status.wholeMatch(of: form) != nil },
            "\(server.manager.status)")
        server.process.signal(SIGHUP)
        #expect(Eventually.holds { server.manager.count(of: "READY=1") == 2 })
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        let lines = server.manager.lines.filter { !$0.hasPrefix("STATUS=") && !$0.hasPrefix("MONOTONIC_USEC=") }
        #expect(lines == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1", "BARRIER=1"])
        let reload = server.manager.lines.firstIndex(of: "RELOADING=1") ?? 0
        #expect(server.manager.lines[reload + 1].hasPrefix("MONOTONIC_USEC="))
    }

    @Test("The watchdog is fed after the socket file was removed, and the same status is not sent twice")
    func unchangedStatus() throws {
        let server = try ManagedServer(watchdog: 2)
        let start = ContinuousClock.now
        try FileManager.default.removeItem(atPath: server.socket)
        // The thread that sends the status also feeds the watchdog, every second.
        #expect(Eventually.holds { server.manager.count(of: "WATCHDOG=1") > 6 })
        let statuses = server.manager.lines.filter { $0.hasPrefix("STATUS=") }
        #expect(zip(statuses, statuses.dropFirst()).allSatisfy { $0 != $1 }, "\(statuses)")
        // On a busy machine a health check may fail. After the fault, the status is sent again.
        let faults = statuses.count { $0.contains("does not answer its own health check") }
        // Each five seconds a status is due, and it shows the age of Apple's keys.
        let due = Int(start.duration(to: .now) / .seconds(5))
        #expect(statuses.count < 3 + due + 2 * faults, "\(statuses)")
    }

    @Test(
        "The watchdog is fed only while the server answers", .enabled(if: !TestDatabase.isOnServer, "locks a file"))
    func watchdog() throws {
        let server = try ManagedServer(watchdog: 2) { $0["WORKERS"] = "3" }
        func alive() -> Int { server.manager.count(of: "WATCHDOG=1") }
        #expect(Eventually.holds { alive() >= 3 })
        do {
            let lock = try DatabaseReadLock(of: server.database)
            let fault = "does not answer its own health check"
            #expect(Eventually.holds { server.manager.status.contains(fault) })
            let before = alive()
            // Twice the time within which the watchdog must be fed.
            #expect(!Eventually.holds(within: 4) { alive() > before })
            #expect(server.manager.status.contains(fault))
            withExtendedLifetime(lock) {}
        }
        let before = alive()
        #expect(Eventually.holds(within: 40) { alive() > before + 2 })
        #expect(Eventually.holds { server.manager.status.contains("requests/s") })
    }

    @Test("The watchdog is fed while Apple is unreachable")
    func appleUnreachable() throws {
        let server = try ManagedServer(watchdog: 2, apple: .closing)
        #expect(Eventually.holds { server.manager.count(of: "WATCHDOG=1") >= 3 })
        #expect(Eventually.holds { server.manager.status.contains("Apple's keys are not available") })
        let response = try server.send(.get("/readyz"))
        try expectUnready(response, part: "apple_keys", saying: "APPLE_JWKS_URL")
        #expect(try server.send(.get("/healthz")).status == 200)
        server.apple.resetKeyServer()
        #expect(Eventually.holds(within: 40) { (try? server.send(.get("/readyz")).status) == 200 })
    }

    @Test(
        "While the disk is full, writes get 503, reads and the watchdog go on, and an idle server notices room again",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func fullDisk() throws {
        let server = try ManagedServer(wrapper: ["prlimit", "--fsize=1048576:unlimited", "--"], watchdog: 2)
        let first = try server.devLogin("first@example.com")
        var refused: TestResponse?
        _ = Eventually.holds(within: 60) {
            let login = try? server.devLogin("crowd-\(UUID().uuidString)@example.com")
            refused = login?.status == 200 ? nil : login
            return refused != nil
        }
        let write = try #require(refused)
        expectProblem(write, 503, "storage_unavailable")
        #expect(write.header("retry-after") != nil)
        #expect(try server.me(first.accessToken).status == 200)
        let response = try server.send(.get("/readyz"))
        try expectUnready(response, part: "store_write", saying: "space")
        #expect(try server.send(.get("/healthz")).status == 200)
        #expect(
            try Eventually.holds {
                let outcome = try server.health()
                return outcome.status == 1 && outcome.text.contains("FAULT  the last write failed: ")
            })
        let before = server.manager.count(of: "WATCHDOG=1")
        #expect(Eventually.holds { server.manager.count(of: "WATCHDOG=1") > before + 2 })
        #expect(Eventually.holds { server.manager.status.hasPrefix("NOT READY: the last write failed") })
        try Shell.run(["prlimit", "--fsize=unlimited:unlimited", "--pid", "\(server.process.identifier)"])
        #expect(Eventually.holds(within: 40) { !server.manager.status.contains("NOT READY") })
        #expect(Eventually.holds { (try? server.send(.get("/readyz")).status) == 200 })
        #expect(try Eventually.holds { try server.health().status == 0 })
        #expect(try server.devLogin("after@example.com").status == 200)
        #expect(try server.refresh(first.refreshToken).status == 200)
        #expect(Eventually.holds { server.log.contains(#""event":"storage""#) })
    }

    private func expectUnready(_ response: TestResponse, part: String, saying word: String) throws {
        expectProblem(response, 503, "not_ready")
        #expect(response["ready"] == false)
        let parts = response["parts"]?.array?.compactMap(\.object) ?? []
        #expect(parts.filter { $0["ready"] == false }.map { $0["name"]?.string } == [part])
        let detail = parts.first { $0["ready"] == false }?["detail"]?.string ?? ""
        #expect(detail.contains(word), "\(detail)")
        #expect(!String(decoding: response.body, as: UTF8.self).contains("g.db"))
    }

    @Test("The watchdog is fed while the connection limit is reached")
    func connectionLimit() throws {
        let server = try ManagedServer(wrapper: ["prlimit", "--nofile=200:200", "--"], watchdog: 2) {
            $0["WORKERS"] = "4"
        }
        let crowd = (0..<300).compactMap { _ in try? server.connect() }
        #expect(Eventually.holds { server.log.contains("tooManyConnections") })
        let before = server.manager.count(of: "WATCHDOG=1")
        #expect(Eventually.holds { server.manager.count(of: "WATCHDOG=1") > before + 2 })
        withExtendedLifetime(crowd) {}
    }

    @Test("A second SIGTERM ends the server at once, and this is logged")
    func secondSIGTERM() throws {
        let server = try ManagedServer { $0["WORKERS"] = "1" }
        let (peer, idle) = (try server.connect(), try server.connect())
        try peer.send(Array(TestRequest.get("/api/users/me").fastCGIBytes.prefix(30)))
        // The only worker answers this after it has seen the first part.
        _ = try idle.exchange(.get("/healthz"))
        server.process.signal(SIGTERM)
        #expect(Eventually.holds { server.manager.keptCount() == 1 }, "the idle connection")
        #expect(server.process.exitStatus == nil)
        let start = Date()
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 128 + SIGTERM)
        #expect(Date().timeIntervalSince(start) < 20, "sooner than a request may take")
        #expect(server.log.contains(#""event":"ended""#))
    }
}
