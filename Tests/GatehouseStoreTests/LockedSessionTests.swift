import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

/// On a server, an operator's transaction can hold the lock of a row.
@Suite("A session whose row is locked", .enabled(if: TestDatabase.isOnServer, "only a server locks rows"))
struct LockedSessionTests {
    @Test("Its change fails when the time to wait is over, and those of the same batch are done")
    func failsAlone() throws {
        let database = try TestDatabase()
        let store = try PostgreSQLStore(PostgreSQLSettings(url: database.url, timeout: .seconds(2)))
        let sessions = try (1...8).map { (number: Int) in
            let user = SampleLogin.user(number)
            _ = try store.create(
                user, with: SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)")))
            return SampleLogin.session("\(number)", of: user).id
        }
        let other = try database.connection()
        try other.executeScript("BEGIN")
        _ = try other.first("SELECT id FROM refresh_tokens WHERE id = ? FOR UPDATE", .text(sessions[3].text)) { _ in 0 }
        let failed = try Concurrently.run(sessions.count) { number -> Int? in
            do {
                let decided = try store.change(sessions[number], now: SampleLogin.noon) { _, _ in
                    .end(.reuse, recording: SampleLogin.event())
                }
                return decided?.change == nil ? number : nil
            } catch {
                #expect("\(error)".contains("storageUnavailable"))
                return number
            }
        }
        #expect(failed.compactMap { $0 } == [3])
        try other.executeScript("ROLLBACK")
        #expect(try store.session(sessions[3])?.session.revokeReason == nil)
    }
}
