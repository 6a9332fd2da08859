import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("gatehouse serve")
struct ServingTests {
    @Test("SIGTERM lets open requests finish, and the exit status is 0")
    func gracefulShutdown() throws {
        let server = try ServerProcess { $0["WORKERS"] = "1" }
        let (peer, idle) = (try server.connect(), try server.connect())
        let login = try peer.exchange(
            .post("/api/auth/dev-login", ["email": "d@example.com", "devSecret": .string(ServerProcess.devSecret)]))
        let request = TestRequest.get("/api/users/me", bearer: login.accessToken).fastCGIBytes
        try peer.send(Array(request.dropLast(8)))
        // The only worker answers this after it has seen the first part.
        _ = try idle.exchange(.get("/healthz"))
        server.process.signal(SIGTERM)
        #expect(try idle.isEnded())
        try peer.send(Array(request.suffix(8)))
        #expect(try peer.answer().text.contains("d@example.com"))
        #expect(server.process.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: server.socket))
    }

    @Test("A second SIGTERM ends the server at once, and this is logged")
    func secondSIGTERM() throws {
        let server = try ServerProcess { $0["WORKERS"] = "1" }
        let peer = try server.connect()
        try peer.send(Array(TestRequest.get("/api/users/me").fastCGIBytes.dropLast(8)))
        // The only worker answers this after it has seen the first part.
        _ = try server.send(.get("/healthz"))
        server.process.signal(SIGTERM)
        #expect(Eventually.holds { server.process.log.contains(#""event":"stopping""#) })
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 128 + SIGTERM)
        #expect(server.process.log.contains(#""event":"ended""#))
    }

    @Test(
        "Only the owner can read the database, and the group can use the socket",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func permissions() throws {
        let server = try ServerProcess()
        #expect(try server.devLogin("mode@example.com").status == 200)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(server.database + suffix) == 0o600) }
        #expect(try mode(server.socket) == 0o660)
    }

    @Test("After SIGTERM only the database file is left", .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func filesAfterShutdown() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("tidy@example.com")
        #expect(try server.me(login.accessToken).status == 200)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: server.database))
        for suffix in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: server.database + suffix))
        }
    }

    @Test("Requests are answered while 1000 idle connections use 16 workers")
    func idleConnections() throws {
        let server = try ServerProcess { $0["WORKERS"] = "16" }
        let idle = try (0..<1000).map { _ in try server.connect() }
        for peer in idle.prefix(200) { _ = try peer.exchange(.get("/api/users/me")) }
        for peer in idle.suffix(100) { try peer.send(Array(TestRequest.get("/x").fastCGIBytes.prefix(20))) }
        #expect(try server.devLogin("idle@example.com").status == 200)
        #expect(try idle[500].exchange(.get("/api/users/me")).status == 401)
    }

    @Test("New connections are served when idle ones fill the limit, and this is logged")
    func fewDescriptors() throws {
        let server = try ServerProcess(wrapper: ["prlimit", "--nofile=400:400", "--"]) {
            $0["WORKERS"] = "16"
        }
        let crowd = (0..<600).compactMap { _ in try? server.connect() }
        #expect(try server.connect().exchange(.get("/api/users/me")).status == 401)
        // Connections that were closed to make room get no response. All others get the right one.
        let responses = crowd.compactMap { try? $0.exchange(.get("/api/users/me")).status }
        #expect(responses.count > 100)
        #expect(responses.allSatisfy { $0 == 401 })
        #expect(Eventually.holds { server.process.log.contains("tooManyConnections") })
    }

    @Test("Clients that hang up in the middle of a request do no harm")
    func hangUps() throws {
        let server = try ServerProcess { $0["WORKERS"] = "2" }
        let request = TestRequest.post(
            "/api/auth/dev-login", ["email": "h@example.com", "devSecret": .string(ServerProcess.devSecret)]
        ).fastCGIBytes
        for length in stride(from: 0, through: request.count, by: 7) {
            let peer = try server.connect()
            try peer.send(Array(request.prefix(length)))
        }
        #expect(try server.devLogin("h@example.com").status == 200)
        #expect(server.process.exitStatus == nil)
    }

    @Test(
        "An invalid request id from the web server is replaced",
        arguments: ["", "a b", "a\r\nSet-Cookie: x=y", "\"", String(repeating: "a", count: 65)])
    func requestName(_ name: String) throws {
        let server = try SharedServers.standard(.fastCGI)
        let peer = try #require(server as? ServerProcess).connect()
        let request = FastCGIWire.request(
            "/api/users/me", parameters: [("REQUEST_METHOD", "GET"), ("REQUEST_ID", name)])
        let response = TestResponse(parsing: Array(try peer.exchange(request).text.utf8))
        #expect(response.status == 401)
        #expect(response.header("x-request-id")?.hasPrefix("req_") == true)
        #expect(response.header("set-cookie") == nil)
    }

    @Test("The server can listen on a TCP port")
    func tcp() throws {
        let port = try FreePort.any()
        let server = try ServerProcess { $0["LISTEN"] = "tcp:127.0.0.1:\(port)" }
        #expect(try server.send(.get("/api/users/me")).status == 401)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
    }

    @Test("The server uses a socket from systemd and leaves it open")
    func systemdSocket() throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("systemd.sock")
        let variables = try TestSettings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
        // Does what systemd does: listens at descriptor 3, sets the variables and executes the service.
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
        #expect(try peer.exchange(.get("/api/users/me")).status == 401)
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: socket))
    }

    @Test("A second server on the same socket does not start, and the first is not disturbed")
    func secondServer() throws {
        let server = try ServerProcess()
        let variables = try TestSettings.standard(folder: server.folder.path, keysURL: server.apple.keysURL)
        let outcome = try Shell.outcome(of: [Executable.gatehouse, "serve"], environment: variables)
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.contains("another process is listening"))
        #expect(try server.devLogin("first@example.com").status == 200)
    }
}
