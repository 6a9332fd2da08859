import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("A server that starts while its PostgreSQL server cannot be reached")
struct AbsentDatabaseTests {
    private let folder: TemporaryFolder
    private let postgreSQL: TemporaryPostgreSQL
    /// The folder of the server's socket, which does not exist yet.
    private var place: String { folder.file("server") }

    init() throws {
        folder = try TemporaryFolder()
        postgreSQL = try TemporaryPostgreSQL.shared.get()
    }

    private func start() throws -> ServerProcess {
        let url = try postgreSQL.database().replacing("host=\(postgreSQL.folder)", with: "host=\(place)")
        return try ServerProcess { $0["DATABASE_URL"] = url }
    }

    @Test("It answers 503 at once, never 401, and serves as soon as the server is there, without a restart")
    func late() throws {
        let server = try start()
        let requests: [TestRequest] = [
            .get("/api/auth/verify", bearer: "x"), .get("/api/auth/me", bearer: "x"),
            .post("/api/auth/refresh", ["refreshToken": "x"]), .get("/readyz"), .get("/nowhere"),
        ]
        for request in requests {
            let response = try server.connect().exchange(request.fastCGIBytes).text
            #expect(response.hasPrefix("Status: 503"), "\(request.path): \(response)")
            #expect(response.contains("Retry-After: ") && response.contains("storage_unavailable"), "\(response)")
        }
        let health = try Shell.outcome(
            of: [Executable.gatehouse, "health"], environment: ["LISTEN": "unix:\(server.socket)"])
        #expect(health.status == 1 && health.text.hasPrefix("FAULT  The database is not available"), "\(health)")
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: postgreSQL.folder)
        var user: String?
        #expect(
            Eventually.holds {
                user = try? server.devLogin("late@example.com").userID
                return user != nil
            })
        #expect(server.process.exitStatus == nil)
        let log = server.process.log
        #expect(log.contains(#""event":"waiting""#) && !log.contains(#""event":"fatal""#), "\(log)")
    }

    @Test("It ends after SIGTERM, and removes its socket")
    func stopped() throws {
        let server = try start()
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0, "\(server.process.log)")
        #expect(!FileManager.default.fileExists(atPath: server.socket))
    }

    @Test("A refused user is a failure, since waiting does not help")
    func refused() throws {
        let server = try ServerProcess()
        let url = postgreSQL.url(of: "postgres", user: "nobody_of_this_name")
        let (status, log) = try server.refusedStart { $0["DATABASE_URL"] = url }
        #expect(status == 3 && log.contains(#""event":"fatal""#), "\(log)")
    }
}
