import Foundation
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// There is no grace, so an old token ends the session as soon as its successor has been used.
@Suite("Lost answers and killed processes")
struct LostAnswerProcessTests {
    private let server: ServerProcess

    init() throws {
        server = try ServerProcess { $0["REFRESH_REUSE_GRACE"] = "0s" }
    }

    private func isConfirmed() throws -> Bool {
        try server.testDatabase.connection().first("SELECT confirmed_at FROM refresh_tokens") {
            $0.optionalInteger(0) != nil
        } ?? false
    }

    @Test("A lost answer survives a kill, and so does a confirmation in the database")
    func killed() throws {
        let login = try server.devLogin("kill@example.com")
        let lost = try server.refresh(login.refreshToken)
        try server.killAndRestart()
        let again = try server.refresh(login.refreshToken)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(try server.verify(again.accessToken).status == 204)
        #expect(Eventually.holds { (try? isConfirmed()) == true })
        try server.killAndRestart()
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try server.verify(again.accessToken).code == "session_revoked")
    }

    @Test("A server that is stopped writes its confirmations before it ends")
    func stopped() throws {
        let login = try server.devLogin("stop@example.com")
        let next = try server.refresh(login.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        #expect(try isConfirmed())
    }

    @Test("Another process repeats the lost answer, and the first process sees that clients use it")
    func otherProcess() throws {
        let other = try ServerProcess(beside: server)
        let login = try server.devLogin("two@example.com")
        let lost = try server.refresh(login.refreshToken)
        let again = try other.refresh(login.refreshToken)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(try other.me(again.accessToken).status == 200)
        #expect(Eventually.holds { (try? isConfirmed()) == true })
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(Eventually.holds { (try? other.me(again.accessToken).code) == "session_revoked" })
    }
}
