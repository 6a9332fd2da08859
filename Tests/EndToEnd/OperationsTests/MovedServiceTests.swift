import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// There is no grace, so an old token is only accepted because its answer was lost.
@Suite("A service that moves to another database")
struct MovedServiceTests {
    private let folder: TemporaryFolder
    private let server: ServerProcess
    private let first: String

    init() throws {
        folder = try TemporaryFolder()
        let first = "sqlite:" + folder.file("first.db")
        self.first = first
        server = try ServerProcess {
            $0["DATABASE_URL"] = first
            $0["REFRESH_REUSE_GRACE"] = "0s"
        }
    }

    private func move(from source: String, to target: String) throws {
        server.process.signal(15)
        #expect(server.process.wait() == 0)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "move", "--to", target], environment: ["DATABASE_URL": source])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        try server.restart { $0["DATABASE_URL"] = target }
    }

    @Test("No client has to sign in again, there and back, and a client that was signed out stays so")
    func thereAndBack() throws {
        var active = try server.devLogin("active@example.com")
        let before = try server.devLogin("lost@example.com")
        let lost = try server.refresh(before.refreshToken)
        let ended = try server.devLogin("ended@example.com")
        #expect(try server.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let postgreSQL = try TemporaryPostgreSQL.shared.get().database()
        for (source, target) in [(first, postgreSQL), (postgreSQL, "sqlite:" + folder.file("last.db"))] {
            try move(from: source, to: target)
            #expect(try server.me(active.accessToken).status == 200)
            #expect(try server.verify(active.accessToken).status == 204)
            active = try server.refresh(active.refreshToken)
            #expect(try server.me(active.accessToken).status == 200)
            let repeated = try server.refresh(before.refreshToken)
            #expect(repeated.refreshToken == lost.refreshToken && !lost.refreshToken.isEmpty)
            #expect(try server.verify(ended.accessToken).code == "session_revoked")
            #expect(try server.me(ended.accessToken).code == "session_revoked")
            #expect(try server.refresh(ended.refreshToken).code == "refresh_token_revoked")
            #expect(try server.devLogin("active@example.com").json["isNewUser"] == false)
        }
        #expect(try server.verify(server.refresh(lost.refreshToken).accessToken).status == 204)
    }
}
