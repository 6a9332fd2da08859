import JSON
import TestSupport
import Testing

/// What clients meet after a restore who have moved on since the backup.
@Suite("After a restore")
struct RestoredHouseTests {
    private let house: ServedHouse
    private var backup: String { house.folder.file("backup.db") }

    init() throws {
        house = try ServedHouse()
    }

    private func restore(_ options: String...) throws {
        house.process.signal(15)
        #expect(house.process.wait() == 0)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore"] + options + [backup],
            environment: ["DATABASE_URL": "sqlite:" + house.database])
        #expect(outcome.status == 0, "\(outcome.complaint)")
        try house.restart()
    }

    private func kinds() throws -> [String] { try house.auditTrail().compactMap { $0["kind"]?.string } }

    @Test("who refreshed since signs in again, and nobody is taken for a thief, however often they ask")
    func movedOn() throws {
        let first = try house.devLogin("ada@example.com")
        try house.operate("backup", backup)
        let second = try house.refresh(first.refreshToken)
        let third = try house.refresh(second.refreshToken)
        try restore()
        for token in [third.refreshToken, second.refreshToken, third.refreshToken] {
            let answer = try house.refresh(token)
            #expect(answer.status == 401 && answer.code == "invalid_refresh_token")
        }
        #expect(try house.devLogin("ada@example.com").status == 200)
        #expect(try !kinds().contains("refresh_token_reused"))
        #expect(try kinds().contains("database_restored"))
    }

    @Test("who did not refresh since goes on as if nothing had been")
    func stayed() throws {
        let before = try house.devLogin("ada@example.com")
        try house.operate("backup", backup)
        try restore()
        #expect(try house.me(before.accessToken).status == 200)
        let next = try house.refresh(before.refreshToken)
        #expect(next.status == 200)
        #expect(try house.refresh(next.refreshToken).status == 200)
    }

    @Test("whose answer was lost before the backup and asks again after it goes on, too")
    func lostAnswer() throws {
        let first = try house.devLogin("ada@example.com")
        let second = try house.refresh(first.refreshToken)
        try house.operate("backup", backup)
        try restore()
        #expect(try house.refresh(first.refreshToken).refreshToken == second.refreshToken)
    }

    @Test("a session that was signed out of since is alive again, unless all are ended")
    func signedOut() throws {
        let login = try house.devLogin("ada@example.com")
        try house.operate("backup", backup)
        #expect(try house.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        try restore()
        #expect(try house.me(login.accessToken).status == 200)
        try restore("--end-sessions")
        #expect(try house.me(login.accessToken).code == "session_revoked")
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_revoked")
    }

    @Test("who came since is nobody, and signs in as somebody new")
    func newcomer() throws {
        try house.operate("backup", backup)
        let login = try house.devLogin("ada@example.com")
        try restore()
        #expect(try house.me(login.accessToken).status == 401)
        #expect(try house.refresh(login.refreshToken).code == "invalid_refresh_token")
        #expect(try house.devLogin("ada@example.com").json["isNewUser"] == true)
    }
}
