import Foundation
import JSON
import TestSupport
import Testing

@Suite("Whether it is well")
struct HealthTests {
    private static let socketWorlds: [World] = [.handler, .fastCGI]

    @Test("is answered at the socket, down to the store", arguments: socketWorlds)
    func alive(_ world: World) throws {
        let answer = try Houses.of(world).send(.get("/healthz"))
        #expect(answer.status == 200)
        #expect(answer.json == ["status": "ok"])
        #expect(answer.header("cache-control") == "no-store")
    }

    @Test("is said part by part", arguments: socketWorlds)
    func ready(_ world: World) throws {
        let house = try Houses.of(world)
        // The keys are fetched by then.
        #expect(try house.send(.post("/api/auth/apple", house.apple.login("001.ready"))).status == 200)
        let answer = try house.send(.get("/readyz"))
        #expect(answer.status == 200)
        #expect(answer["ready"] == true)
        let parts = answer["parts"]?.array?.compactMap(\.object) ?? []
        #expect(parts.map { $0["name"]?.string } == ["store_read", "store_write", "apple_keys", "serving"])
        #expect(parts.allSatisfy { $0["ready"] == true && $0["detail"]?.string?.isEmpty == false })
    }

    @Test("is asked by GET alone, and never answered outside", arguments: ["/healthz", "/readyz"])
    func methods(_ path: String) throws {
        try expectProblem(Houses.of(.handler).send(.post(path, [:])), 405, "method_not_allowed")
        try expectProblem(Houses.of(.nginx).send(.get(path)), 404, "not_found")
    }

    @Test("is not known of keys that were never had")
    func noKeys() throws {
        let house = try InProcessHouse()
        house.apple.misbehave(.hangingUp)
        house.renewKeys()
        expectProblem(house.send(.get("/readyz")), 503, "not_ready")
        #expect(house.send(.get("/healthz")).status == 200)
    }

    private func ask(_ listen: String, _ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"] + words, environment: ["LISTEN": listen])
    }

    @Test("is told to an operator, and to a script")
    func command() throws {
        let house = try ServedHouse()
        #expect(Eventually.holds { (try? house.send(.get("/readyz")).status) == 200 })
        let outcome = try ask("unix:" + house.socket)
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasPrefix("ok     ") })
        let raw = try ask("unix:" + house.socket, "--json")
        #expect(raw.status == 0)
        #expect(try JSONValue(parsing: raw.output).object?["parts"]?.array?.count == 4)
    }

    @Test("is not known where nobody answers: then it says what to do, and 1")
    func nobody() throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.any()
        for listen in ["unix:" + folder.file("none"), "tcp:127.0.0.1:\(port)"] {
            let outcome = try ask(listen)
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("FAULT  \(listen): nobody listens"), "\(outcome.text)")
            let raw = try ask(listen, "--json")
            #expect(raw.status == 1)
            #expect(try JSONValue(parsing: raw.output).object?["ready"] == false)
        }
        #expect(try ask("nonsense").status == 2)
        #expect(try ask("unix:/x", "surplus").status == 2)
    }

    @Test(
        "is asked where nothing but LISTEN can be read of the settings",
        arguments: ["WORKERS=many\nNONSENSE\n", "JWT_ACCESS_SECRET_FILE=/nowhere\n", "CREDENTIALS_DIRECTORY=/root/x\n"])
    func brokenSettings(_ lines: String) throws {
        let house = try ServedHouse()
        let folder = try TemporaryFolder()
        func ask(_ text: String) throws -> Shell.Outcome {
            try text.write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
            return try Shell.outcome(
                of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"],
                environment: ["GATEHOUSE_CONFIG": folder.file("conf")])
        }
        #expect(Eventually.holds { (try? ask(lines + "LISTEN=unix:\(house.socket)\n").status) == 0 })
        for line in ["LISTEN=nonsense", "LISTEN=\"unix:\(house.socket)"] {
            let outcome = try ask(lines + line + "\n")
            #expect(outcome.status == 2)
            #expect(outcome.complaint.contains("LISTEN "), "\(outcome.complaint)")
        }
    }

    @Test("is not known where the queue of connections is full, and that is told in time")
    func fullQueue() throws {
        let folder = try TemporaryFolder()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = folder.file("full")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        try #require(isBound == 0 && listen(listener, 0) == 0)
        // The kernel lets one more in than the queue is long, and the tool is the second.
        let waiting = try FastCGIPeer(.unix(path))
        let start = ContinuousClock.now
        let outcome = try ask("unix:" + path)
        #expect(outcome.status == 1 && outcome.text.contains("connections are not accepted"), "\(outcome.text)")
        #expect(ContinuousClock.now - start < .seconds(6))
        withExtendedLifetime(waiting) {}
    }

    @Test("is not known of a server that does not answer, nor of something else at its place")
    func stopped() throws {
        let house = try ServedHouse()
        house.process.signal(SIGSTOP)
        let start = ContinuousClock.now
        let outcome = try ask("unix:" + house.socket)
        let time = ContinuousClock.now - start
        // The rest of the three seconds is for the start of the program, and more for a machine under load.
        #expect(time >= .seconds(2) && time < .seconds(6), "\(time)")
        house.process.signal(SIGCONT)
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("does not answer"), "\(outcome.text)")
        let other = try KeyServer(publishing: [])
        defer { other.stop() }
        other.behave(.sending(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        let wrong = try ask("tcp:127.0.0.1:\(other.port)")
        #expect(wrong.status == 1)
        #expect(wrong.text.contains("FAULT"), "\(wrong.text)")
    }
}
