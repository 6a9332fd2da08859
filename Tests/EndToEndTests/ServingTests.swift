import Foundation
import JSON
import TestSupport
import Testing

@Suite("gatehouse serve")
struct ServingTests {
    @Test("answers what is under way on SIGTERM, and exits 0")
    func drains() throws {
        let house = try ServedHouse()
        let peer = try house.connect()
        let login = try house.send(
            .post("/api/auth/dev-login", ["email": "d@example.com", "devSecret": .string(ServedHouse.devSecret)]),
            over: peer)
        let request = ServedHouse.bytes(of: .get("/api/users/me", bearer: login.accessToken))
        try peer.send(Array(request.dropLast(8)))
        // Let the first part arrive before the signal does.
        usleep(50_000)
        house.process.signal(SIGTERM)
        usleep(50_000)
        try peer.send(Array(request.suffix(8)))
        #expect(try peer.answer().text.contains("d@example.com"))
        #expect(house.process.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: house.socket))
    }

    @Test("ends at once on a second SIGTERM, whatever is under way, and says so in the log")
    func impatience() throws {
        let house = try ServedHouse()
        let peer = try house.connect()
        try peer.send(Array(ServedHouse.bytes(of: .get("/api/users/me")).dropLast(8)))
        usleep(50_000)
        house.process.signal(SIGTERM)
        #expect(Eventually.holds { house.process.log.contains(#""event":"stopping""#) })
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 128 + SIGTERM)
        #expect(house.process.log.contains(#""event":"ended""#))
    }

    @Test("lets nobody else read its database, and the group of the front use its socket")
    func modes() throws {
        let house = try ServedHouse()
        #expect(try house.devLogin("mode@example.com").status == 200)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(house.database + suffix) == 0o600) }
        #expect(try mode(house.socket) == 0o660)
    }

    @Test("leaves one file behind after SIGTERM: the database, its log written back")
    func tidies() throws {
        let house = try ServedHouse()
        let login = try house.devLogin("tidy@example.com")
        #expect(try house.me(login.accessToken).status == 200)
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: house.database))
        for suffix in ["-wal", "-shm"] { #expect(!FileManager.default.fileExists(atPath: house.database + suffix)) }
    }

    @Test("answers at once while a thousand idle connections are open on sixteen workers")
    func idleConnections() throws {
        let house = try ServedHouse { $0["WORKERS"] = "16" }
        let idle = try (0..<1000).map { _ in try house.connect() }
        for peer in idle.prefix(200) { _ = try house.send(.get("/api/users/me"), over: peer) }
        for peer in idle.suffix(100) { try peer.send(Array(ServedHouse.bytes(of: .get("/x")).prefix(20))) }
        #expect(try house.devLogin("idle@example.com").status == 200)
        #expect(try house.send(.get("/api/users/me"), over: idle[500]).status == 401)
    }

    @Test("answers a new connection while idle ones fill all it may have, also where descriptors are few, and logs it")
    func fewDescriptors() throws {
        let house = try ServedHouse(wrapper: ["prlimit", "--nofile=400:400", "--"]) { $0["WORKERS"] = "16" }
        let crowd = (0..<600).compactMap { _ in try? house.connect() }
        #expect(try house.send(.get("/api/users/me"), over: try house.connect()).status == 401)
        // Those that were closed to make room get no answer; every other one gets the right one.
        let answers = crowd.compactMap { try? house.send(.get("/api/users/me"), over: $0).status }
        #expect(answers.count > 100)
        #expect(answers.allSatisfy { $0 == 401 })
        #expect(Eventually.holds { house.process.log.contains("tooManyConnections") })
    }

    @Test("is not disturbed by clients that hang up in the middle")
    func hangUps() throws {
        let house = try ServedHouse { $0["WORKERS"] = "2" }
        let request = ServedHouse.bytes(
            of: .post("/api/auth/dev-login", ["email": "h@example.com", "devSecret": .string(ServedHouse.devSecret)]))
        for length in stride(from: 0, through: request.count, by: 7) {
            let peer = try house.connect()
            try peer.send(Array(request.prefix(length)))
        }
        #expect(try house.devLogin("h@example.com").status == 200)
        #expect(house.process.exitStatus == nil)
    }

    @Test(
        "gives a request a name of its own where the front's is none",
        arguments: ["", "a b", "a\r\nSet-Cookie: x=y", "\"", String(repeating: "a", count: 65)])
    func requestName(_ name: String) throws {
        let house = try Houses.of(.fastCGI)
        let peer = try #require(house as? ServedHouse).connect()
        let request = FastCGIWire.request(
            "/api/users/me", parameters: [("REQUEST_METHOD", "GET"), ("REQUEST_ID", name)])
        let answer = Answer(parsing: Array(try peer.exchange(request).text.utf8))
        #expect(answer.status == 401)
        #expect(answer.header("x-request-id")?.hasPrefix("req_") == true)
        #expect(answer.header("set-cookie") == nil)
    }

    @Test("serves at a TCP port as well")
    func tcp() throws {
        let port = try FreePort.any()
        let folder = try TemporaryFolder()
        let variables = Settings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
            .merging(["LISTEN": "tcp:127.0.0.1:\(port)"]) { _, new in new }
        let process = try ChildProcess(
            [Executable.gatehouse, "serve"], environment: variables, log: folder.file("log"))
        #expect(Eventually.holds { (try? FastCGIPeer(.tcp(port))) != nil })
        let peer = try FastCGIPeer(.tcp(port))
        #expect(try peer.exchange(ServedHouse.bytes(of: .get("/api/users/me"))).text.contains("401"))
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test("takes the socket that systemd hands over, and leaves it to the next process")
    func inherited() throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("systemd.sock")
        let variables = Settings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
        // What systemd does, in a few lines: listen at descriptor 3, say so, and become the service.
        let script = """
            BEGIN { $^F = 10 }
            socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un(shift)); listen($s, 64);
            POSIX::dup2(fileno($s), 3); @ENV{qw(LISTEN_FDS LISTEN_PID)} = (1, $$); exec @ARGV;
            """
        let process = try ChildProcess(
            ["perl", "-MSocket", "-MPOSIX", "-e", script, socket, Executable.gatehouse, "serve"],
            environment: variables,
            log: folder.file("log"))
        #expect(Eventually.holds { (try? FastCGIPeer(.unix(socket))) != nil })
        let peer = try FastCGIPeer(.unix(socket))
        #expect(try peer.exchange(ServedHouse.bytes(of: .get("/api/users/me"))).text.contains("401"))
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: socket))
    }

    @Test("refuses to start beside another one at the same socket, and does not disturb it")
    func twice() throws {
        let house = try ServedHouse()
        let variables = Settings.standard(folder: house.folder.path, keysURL: house.apple.keysURL)
        let outcome = try Shell.outcome(of: [Executable.gatehouse, "serve"], environment: variables)
        #expect(outcome.status == 3)
        #expect(outcome.complaint.contains("another process is listening"))
        #expect(try house.devLogin("first@example.com").status == 200)
    }
}
