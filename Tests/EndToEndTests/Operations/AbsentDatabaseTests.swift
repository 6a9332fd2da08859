import Foundation
import JSON
import TestSupport
import Testing

@Suite("A server that starts while its PostgreSQL server cannot be reached")
struct AbsentDatabaseTests {
    private let folder: TemporaryFolder
    private let server: TemporaryPostgreSQL
    /// The folder of the server's socket, which does not exist yet.
    private var place: String { folder.file("server") }

    init() throws {
        folder = try TemporaryFolder()
        server = try TemporaryPostgreSQL.shared.get()
    }

    private func start() throws -> FastCGIInstallation {
        let url = try server.database().replacing("host=\(server.folder)", with: "host=\(place)")
        return try FastCGIInstallation { $0["DATABASE_URL"] = url }
    }

    @Test("It answers 503 at once, never 401, and serves as soon as the server is there, without a restart")
    func late() throws {
        let installation = try start()
        let requests: [TestRequest] = [
            .get("/api/auth/verify", bearer: "x"), .get("/api/auth/me", bearer: "x"),
            .post("/api/auth/refresh", ["refreshToken": "x"]), .get("/readyz"), .get("/nowhere"),
        ]
        for request in requests {
            let response = try installation.connect().exchange(FastCGIInstallation.bytes(of: request)).text
            #expect(response.hasPrefix("Status: 503"), "\(request.path): \(response)")
            #expect(response.contains("Retry-After: ") && response.contains("storage_unavailable"), "\(response)")
        }
        let health = try Shell.outcome(
            of: [Executable.gatehouse, "health"], environment: ["LISTEN": "unix:\(installation.socket)"])
        #expect(health.status == 1 && health.text.hasPrefix("FAULT  The database is not available"), "\(health)")
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: server.folder)
        var user: String?
        #expect(
            Eventually.holds {
                user = try? installation.devLogin("late@example.com").userID
                return user != nil
            })
        #expect(installation.process.exitStatus == nil)
        let log = installation.process.log
        #expect(log.contains(#""event":"waiting""#) && !log.contains(#""event":"fatal""#), "\(log)")
    }

    @Test("It ends when it is told to, and removes its socket")
    func stopped() throws {
        let installation = try start()
        installation.process.signal(SIGTERM)
        #expect(installation.process.wait() == 0, "\(installation.process.log)")
        #expect(!FileManager.default.fileExists(atPath: installation.socket))
    }

    @Test("A refused user is a failure, since waiting does not help")
    func refused() throws {
        let installation = try FastCGIInstallation()
        let url = server.url(of: "postgres", user: "nobody_of_this_name")
        let (status, log) = try installation.refusedStart { $0["DATABASE_URL"] = url }
        #expect(status == 3 && log.contains(#""event":"fatal""#), "\(log)")
    }
}
