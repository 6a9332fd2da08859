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

    private func rename(to name: String) throws {
        _ = try store.update(user.id, ProfileChange(nickname: .some(name)), now: SampleLogin.noon)
    }

    @Test("the transaction begins with a read, and ends with maintenance")
    func lasts() throws {
        #expect(try canRestartLog())
        try rename(to: "Ada")
        _ = try store.user(user.id)
        #expect(try !canRestartLog())
        _ = try store.purge(PurgeLimits())
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
