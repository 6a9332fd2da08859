import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A restore of a backup that is older than the tokens of the clients.
@Suite("Restore from a backup")
struct RestoreTests {
    private let server: ServerProcess
    private var backup: String { server.folder.file("backup.db") }

    init() throws {
        server = try ServerProcess()
    }

    private func restore(_ options: String...) throws {
        server.process.signal(15)
        #expect(server.process.wait() == 0)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore"] + options + [backup],
            environment: ["DATABASE_URL": "sqlite:" + server.database])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        try server.restart()
    }

    private func kinds() throws -> [String] { try server.auditTrail().compactMap { $0["kind"]?.string } }

    @Test("A client that refreshed after the backup must log in again and is not treated as a thief")
    func refreshedSince() throws {
        let first = try server.devLogin("ada@example.com")
        try server.runCommand("backup", backup)
        let second = try server.refresh(first.refreshToken)
        let third = try server.refresh(second.refreshToken)
        try restore()
        for token in [third.refreshToken, second.refreshToken, third.refreshToken] {
            let response = try server.refresh(token)
            #expect(response.status == 401 && response.code == "invalid_refresh_token")
        }
        #expect(try server.devLogin("ada@example.com").status == 200)
        #expect(try !kinds().contains("refresh_token_reused"))
        #expect(try kinds().contains("database_restored"))
    }

    @Test("A client that did not refresh after the backup continues")
    func notRefreshed() throws {
        let before = try server.devLogin("ada@example.com")
        try server.runCommand("backup", backup)
        try restore()
        #expect(try server.me(before.accessToken).status == 200)
        let next = try server.refresh(before.refreshToken)
        #expect(next.status == 200)
        #expect(try server.refresh(next.refreshToken).status == 200)
    }

    @Test("A client whose refresh response was lost before the backup continues")
    func lostResponse() throws {
        let first = try server.devLogin("ada@example.com")
        let second = try server.refresh(first.refreshToken)
        try server.runCommand("backup", backup)
        try restore()
        #expect(try server.refresh(first.refreshToken).refreshToken == second.refreshToken)
    }

    @Test("A session that ended after the backup is restored unless all sessions are ended")
    func loggedOut() throws {
        let login = try server.devLogin("ada@example.com")
        try server.runCommand("backup", backup)
        #expect(try server.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        try restore()
        #expect(try server.me(login.accessToken).status == 200)
        try restore("--end-sessions")
        #expect(try server.me(login.accessToken).code == "session_revoked")
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
    }

    @Test("A user who was created after the backup is unknown")
    func newUser() throws {
        try server.runCommand("backup", backup)
        let login = try server.devLogin("ada@example.com")
        try restore()
        #expect(try server.me(login.accessToken).status == 401)
        #expect(try server.refresh(login.refreshToken).code == "invalid_refresh_token")
        #expect(try server.devLogin("ada@example.com").json["isNewUser"] == true)
    }
}
