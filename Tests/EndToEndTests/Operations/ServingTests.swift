import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse serve")
struct ServingTests {
    @Test("SIGTERM lets open requests finish, and the exit status is 0")
    func gracefulShutdown() throws {
        let installation = try FastCGIInstallation { $0["WORKERS"] = "1" }
        let (peer, idle) = (try installation.connect(), try installation.connect())
        let login = try installation.send(
            .post(
                "/api/auth/dev-login", ["email": "d@example.com", "devSecret": .string(FastCGIInstallation.devSecret)]),
            over: peer)
        let request = FastCGIInstallation.bytes(of: .get("/api/users/me", bearer: login.accessToken))
        try peer.send(Array(request.dropLast(8)))
        // The only worker answers this after it has seen the first part.
        _ = try installation.send(.get("/healthz"), over: idle)
        installation.process.signal(SIGTERM)
        #expect(try idle.isEnded())
        try peer.send(Array(request.suffix(8)))
        #expect(try peer.answer().text.contains("d@example.com"))
        #expect(installation.process.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: installation.socket))
    }

    @Test("A second SIGTERM ends the server at once, and this is logged")
    func secondSIGTERM() throws {
        let installation = try FastCGIInstallation { $0["WORKERS"] = "1" }
        let peer = try installation.connect()
        try peer.send(Array(FastCGIInstallation.bytes(of: .get("/api/users/me")).dropLast(8)))
        // The only worker answers this after it has seen the first part.
        _ = try installation.send(.get("/healthz"))
        installation.process.signal(SIGTERM)
        #expect(Eventually.holds { installation.process.log.contains(#""event":"stopping""#) })
        installation.process.signal(SIGTERM)
        #expect(installation.process.wait() == 128 + SIGTERM)
        #expect(installation.process.log.contains(#""event":"ended""#))
    }

    @Test(
        "Only the owner can read the database, and the group can use the socket",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func permissions() throws {
        let installation = try FastCGIInstallation()
        #expect(try installation.devLogin("mode@example.com").status == 200)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(installation.database + suffix) == 0o600) }
        #expect(try mode(installation.socket) == 0o660)
    }

    @Test("After SIGTERM only the database file is left", .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func filesAfterShutdown() throws {
        let installation = try FastCGIInstallation()
        let login = try installation.devLogin("tidy@example.com")
        #expect(try installation.me(login.accessToken).status == 200)
        installation.process.signal(SIGTERM)
        #expect(installation.process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: installation.database))
        for suffix in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: installation.database + suffix))
        }
    }

    @Test("Requests are answered while 1000 idle connections use 16 workers")
    func idleConnections() throws {
        let installation = try FastCGIInstallation { $0["WORKERS"] = "16" }
        let idle = try (0..<1000).map { _ in try installation.connect() }
        for peer in idle.prefix(200) { _ = try installation.send(.get("/api/users/me"), over: peer) }
        for peer in idle.suffix(100) { try peer.send(Array(FastCGIInstallation.bytes(of: .get("/x")).prefix(20))) }
        #expect(try installation.devLogin("idle@example.com").status == 200)
        #expect(try installation.send(.get("/api/users/me"), over: idle[500]).status == 401)
    }

    @Test("New connections are served when idle ones fill the limit, and this is logged")
    func fewDescriptors() throws {
        let installation = try FastCGIInstallation(wrapper: ["prlimit", "--nofile=400:400", "--"]) {
            $0["WORKERS"] = "16"
        }
        let crowd = (0..<600).compactMap { _ in try? installation.connect() }
        #expect(try installation.send(.get("/api/users/me"), over: try installation.connect()).status == 401)
        // Connections that were closed to make room get no response. All others get the right one.
        let responses = crowd.compactMap { try? installation.send(.get("/api/users/me"), over: $0).status }
        #expect(responses.count > 100)
        #expect(responses.allSatisfy { $0 == 401 })
        #expect(Eventually.holds { installation.process.log.contains("tooManyConnections") })
    }

    @Test("Clients that hang up in the middle of a request do no harm")
    func hangUps() throws {
        let installation = try FastCGIInstallation { $0["WORKERS"] = "2" }
        let request = FastCGIInstallation.bytes(
            of: .post(
                "/api/auth/dev-login", ["email": "h@example.com", "devSecret": .string(FastCGIInstallation.devSecret)]))
        for length in stride(from: 0, through: request.count, by: 7) {
            let peer = try installation.connect()
            try peer.send(Array(request.prefix(length)))
        }
        #expect(try installation.devLogin("h@example.com").status == 200)
        #expect(installation.process.exitStatus == nil)
    }

    @Test(
        "An invalid request id from the web server is replaced",
        arguments: ["", "a b", "a\r\nSet-Cookie: x=y", "\"", String(repeating: "a", count: 65)])
    func requestName(_ name: String) throws {
        let installation = try SharedInstallations.standard(.fastCGI)
        let peer = try #require(installation as? FastCGIInstallation).connect()
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
        let folder = try TemporaryFolder()
        let variables = try TestSettings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
            .merging(["LISTEN": "tcp:127.0.0.1:\(port)"]) { _, new in new }
        let process = try ChildProcess(
            [Executable.gatehouse, "serve"], environment: variables, log: folder.file("log"))
        #expect(Eventually.holds { (try? FastCGIPeer(.tcp(port))) != nil })
        let peer = try FastCGIPeer(.tcp(port))
        #expect(try peer.exchange(FastCGIInstallation.bytes(of: .get("/api/users/me"))).text.contains("401"))
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
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
        #expect(try peer.exchange(FastCGIInstallation.bytes(of: .get("/api/users/me"))).text.contains("401"))
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: socket))
    }

    @Test("A second server on the same socket does not start, and the first is not disturbed")
    func secondServer() throws {
        let installation = try FastCGIInstallation()
        let variables = try TestSettings.standard(folder: installation.folder.path, keysURL: installation.apple.keysURL)
        let outcome = try Shell.outcome(of: [Executable.gatehouse, "serve"], environment: variables)
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.contains("another process is listening"))
        #expect(try installation.devLogin("first@example.com").status == 200)
    }
}
