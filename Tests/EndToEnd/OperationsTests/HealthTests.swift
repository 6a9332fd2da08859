import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Health checks")
struct HealthTests {
    private static let socketEnvironments: [TestEnvironment] = [.handler, .fastCGI]

    @Test("/healthz answers once the store can be read, and /readyz lists every part", arguments: socketEnvironments)
    func ready(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let health = try server.send(.get("/healthz"))
        #expect(health.status == 200 && health.json == ["status": "ok"])
        #expect(health.header("cache-control") == "no-store")
        // The login has fetched the keys.
        #expect(try server.send(.post("/api/auth/apple", server.apple.login("001.ready"))).status == 200)
        let response = try server.send(.get("/readyz"))
        #expect(response.status == 200)
        #expect(response["ready"] == true)
        let parts = response["parts"]?.array?.compactMap(\.object) ?? []
        let own = TestDatabase.isOnServer ? ["revocations"] : ["store_file"]
        #expect(
            parts.map { $0["name"]?.string } == ["store_read", "store_write"] + own + ["apple_keys", "serving"])
        #expect(parts.allSatisfy { $0["ready"] == true && $0["detail"]?.string?.isEmpty == false })
    }

    private func ask(_ listen: String, _ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"] + words, environment: ["LISTEN": listen])
    }

    @Test("`gatehouse health` reports for operators and scripts")
    func command() throws {
        let server = try ServerProcess()
        #expect(Eventually.holds { (try? server.send(.get("/readyz")).status) == 200 })
        var (lines, parts): ([Substring], [JSONValue]?) = ([], nil)
        let areReady = try Eventually.holds {
            let (outcome, raw) = (try ask("unix:" + server.socket), try ask("unix:" + server.socket, "--json"))
            lines = outcome.text.split(separator: "\n")
            parts = (try? JSONValue(parsing: raw.output))?.object?["parts"]?.array
            return outcome.status == 0 && raw.status == 0
        }
        #expect(areReady)
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.hasPrefix("ok     ") })
        #expect(parts?.count == lines.count)
    }

    @Test("`gatehouse health` exits 1 with advice when no server listens")
    func noServer() throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.any()
        for listen in ["unix:" + folder.file("none"), "tcp:127.0.0.1:\(port)"] {
            let outcome = try ask(listen)
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("FAULT  \(listen): no server listens"), "\(outcome.text)")
            let raw = try ask(listen, "--json")
            #expect(raw.status == 1)
            #expect(try JSONValue(parsing: raw.output).object?["ready"] == false)
        }
        #expect(try ask("nonsense").status == 2)
        #expect(try ask("unix:/x", "surplus").status == 2)
    }

    @Test("`gatehouse health` needs only LISTEN from the settings")
    func brokenSettings() throws {
        let server = try ServerProcess()
        let folder = try TemporaryFolder()
        func ask(_ text: String) throws -> Shell.Outcome {
            try text.write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
            return try Shell.outcome(
                of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"],
                environment: ["GATEHOUSE_CONFIG": folder.file("conf")])
        }
        for lines in [
            "WORKERS=many\nNONSENSE\n", "JWT_ACCESS_SECRET_FILE=/nowhere\n", "CREDENTIALS_DIRECTORY=/root/x\n",
        ] {
            #expect(Eventually.holds { (try? ask(lines + "LISTEN=unix:\(server.socket)\n").status) == 0 })
            for line in ["LISTEN=nonsense", "LISTEN=\"unix:\(server.socket)"] {
                let outcome = try ask(lines + line + "\n")
                #expect(outcome.status == 2)
                #expect(outcome.errorOutput.contains("LISTEN "), "\(outcome.errorOutput)")
            }
        }
    }

    @Test("`gatehouse health` reports a full connection queue in time")
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
        // The kernel queues one connection more than the backlog. The command's connection is the second one.
        let waiting = try FastCGIPeer(.unix(path))
        try expectTime(below: .seconds(6)) {
            let start = ContinuousClock.now
            let outcome = try ask("unix:" + path)
            #expect(outcome.status == 1 && outcome.text.contains("no longer accepts connections"), "\(outcome.text)")
            return start.duration(to: .now)
        }
        withExtendedLifetime(waiting) {}
    }

    @Test("`gatehouse health` reports a server that hangs and one that is not Gatehouse")
    func hangingServer() throws {
        let server = try ServerProcess()
        server.process.signal(SIGSTOP)
        // The command waits up to three seconds. The bound leaves time for its start on a slow machine.
        try expectTime(below: .seconds(6)) {
            let start = ContinuousClock.now
            let outcome = try ask("unix:" + server.socket)
            let time = start.duration(to: .now)
            #expect(time >= .seconds(2), "\(time)")
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("does not answer"), "\(outcome.text)")
            return time
        }
        server.process.signal(SIGCONT)
        let other = try KeySetServer(publishing: [])
        defer { other.stop() }
        other.setMode(.sending(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        let wrong = try ask("tcp:127.0.0.1:\(other.port)")
        #expect(wrong.status == 1)
        #expect(wrong.text.contains("FAULT"), "\(wrong.text)")
    }
}
