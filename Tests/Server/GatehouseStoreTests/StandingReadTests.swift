import Foundation
import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("The open read transaction")
struct StandingReadTests {
    private let folder: TemporaryFolder
    private let path: String
    private let store: SQLiteStore
    private let other: Connection
    private let user = SampleLogin.user(1)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("gatehouse.db")
        store = try SQLiteStore(path: path)
        other = try Connection(path: path, access: .readWrite)
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: SampleLogin.identity("s")))
    }

    /// A restart of the log is refused as long as any read transaction uses the log.
    private func canRestartLog() throws -> Bool {
        try other.first("PRAGMA wal_checkpoint(RESTART)") { $0.integer(0) } == 0
    }

    private func runMaintenance() throws {
        let start = Timestamp(seconds: 0)
        _ = try store.purge(
            PurgeLimits(
                sessionsExpired: start, redemptionsExpired: start, revocationsBefore: start, auditEventsBefore: start))
    }

    private func rename(to name: String) throws {
        _ = try store.update(user.id, ProfileChange(nickname: .some(name)), now: SampleLogin.noon)
    }

    @Test("the transaction begins with a read, and ends with maintenance")
    func lasts() throws {
        #expect(try canRestartLog())
        try rename(to: "Ada")
        _ = try store.user(user.id)
        #expect(try !canRestartLog())
        try runMaintenance()
        #expect(try canRestartLog())
    }

    @Test("the transaction ends with a write, and begins again with the next read")
    func yields() throws {
        _ = try store.user(user.id)
        try rename(to: "Ada")
        #expect(try canRestartLog())
        try rename(to: "Grace")
        _ = try store.user(user.id)
        #expect(try !canRestartLog())
    }

    @Test("the transaction does not begin during a write")
    func waitsForTheWrite() throws {
        let found = try store.refresh(SessionID("sess_0"), now: SampleLogin.noon) { [store, user] _, _ in
            _ = try? store.user(user.id)
            return .refuse(.invalidRefreshToken)
        }
        #expect(found != nil)
        #expect(try canRestartLog())
    }

    @Test("the next read sees the commits of other connections")
    func otherConnections() throws {
        for name in ["Ada", "Grace", "Edsger"] {
            _ = try store.user(user.id)
            try other.run("UPDATE users SET nickname = ? WHERE id = ?", .text(name), .text(user.id.text))
            #expect(try store.user(user.id)?.nickname == name)
        }
    }

    @Test("SQLite can restart the log during continuous reads and writes")
    func leavesTheLogShort() throws {
        _ = try Concurrently.run(3) { [store, user] thread in
            for round in 0..<120 {
                _ = try store.user(UserID("user_2"))
                // Readers without pauses would prevent the restart themselves.
                guard thread == 0 else {
                    Thread.sleep(forTimeInterval: 0.002)
                    continue
                }
                // 100 pages. SQLite restarts the log once it has a thousand.
                let name = String(repeating: round.isMultiple(of: 2) ? "a" : "b", count: 400_000)
                _ = try store.update(user.id, ProfileChange(nickname: .some(name)), now: SampleLogin.noon)
            }
        }
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        #expect(log > 0 && log < 16 << 20)
    }

    @Test("the transaction is closed before the writer, so that the writer removes the log")
    func isClosedFirst() throws {
        let path = folder.file("other.db")
        try {
            let store = try SQLiteStore(path: path)
            _ = try store.user(user.id)
        }()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}
