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

    @Test(
        "Only the owner can read the database, the group can use the socket, and after SIGTERM only the database is left",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func files() throws {
        let server = try ServerProcess()
        #expect(try server.devLogin("mode@example.com").status == 200)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(server.database + suffix) == 0o600) }
        #expect(try mode(server.socket) == 0o660)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        let kept = ["", "-wal", "-shm"].map { FileManager.default.fileExists(atPath: server.database + $0) }
        #expect(kept == [true, false, false])
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

    @Test("The server can listen on a TCP port")
    func tcp() throws {
        let port = try FreePort.any()
        let server = try ServerProcess { $0["LISTEN"] = "tcp:127.0.0.1:\(port)" }
        #expect(try server.send(.get("/api/users/me")).status == 401)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
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

@Suite("A server of root with a database folder that other users can write to", .enabled(if: geteuid() == 0))
struct SharedFolderTests {
    private let place: TemporaryFolder
    private var database: String { "sqlite:" + place.file("open/g.db") }

    init() throws {
        place = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.file("open"), withIntermediateDirectories: false)
        chmod(place.file("open"), 0o777)
    }

    @Test("It starts in development with a warning")
    func development() throws {
        let server = try ServerProcess { $0["DATABASE_URL"] = database }
        #expect(try server.devLogin("shared@example.com").status == 200)
        #expect(Eventually.holds { server.process.log.contains("other users can change the path of the database") })
    }

    @Test("It does not start in production and says what to do")
    func production() throws {
        var variables = try TestSettings.standard(folder: place.path, keysURL: "http://127.0.0.1:9/keys")
        variables["APP_ENV"] = "production"
        variables["DATABASE_URL"] = database
        let outcome = try Shell.outcome(of: ["timeout", "60", Executable.gatehouse, "serve"], environment: variables)
        #expect(outcome.status == 3 && outcome.errorOutput.contains("chmod go-w \(place.file("open"))"))
        #expect(!FileManager.default.fileExists(atPath: place.file("open/g.db")))
    }
}
