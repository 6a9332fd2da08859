import Foundation
import SQL
import StoreSupport
import TestSupport
import Testing

/// There is no grace, so an old token ends the session as soon as its successor has been used.
@Suite("Lost answers and killed processes")
struct LostAnswerProcessTests {
    private let installation: FastCGIInstallation

    init() throws {
        installation = try FastCGIInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" }
    }

    private func isConfirmed() throws -> Bool {
        try installation.testDatabase.connection().first("SELECT confirmed_at FROM refresh_tokens") {
            $0.optionalInteger(0) != nil
        } ?? false
    }

    @Test("A lost answer survives a kill, and so does a confirmation in the database")
    func killed() throws {
        let login = try installation.devLogin("kill@example.com")
        let lost = try installation.refresh(login.refreshToken)
        try installation.killAndRestart()
        let again = try installation.refresh(login.refreshToken)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(try installation.verify(again.accessToken).status == 204)
        #expect(Eventually.holds { (try? isConfirmed()) == true })
        try installation.killAndRestart()
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try installation.verify(again.accessToken).code == "session_revoked")
    }

    @Test("A server that is stopped writes its confirmations before it ends")
    func stopped() throws {
        let login = try installation.devLogin("stop@example.com")
        let next = try installation.refresh(login.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
        installation.process.signal(SIGTERM)
        #expect(installation.process.wait() == 0)
        #expect(try isConfirmed())
    }

    @Test("Another process repeats the lost answer, and its clients' use of it is seen by the first")
    func otherProcess() throws {
        let other = try FastCGIInstallation(beside: installation)
        let login = try installation.devLogin("two@example.com")
        let lost = try installation.refresh(login.refreshToken)
        let again = try other.refresh(login.refreshToken)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(try other.me(again.accessToken).status == 200)
        #expect(Eventually.holds { (try? isConfirmed()) == true })
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(Eventually.holds { (try? other.me(again.accessToken).code) == "session_revoked" })
    }
}
