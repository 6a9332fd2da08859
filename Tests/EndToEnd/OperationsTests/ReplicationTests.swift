import Foundation
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the configuration in `deploy/replication` with Litestream and sshd.
@Suite(
    "Replication with Litestream", .needs(.litestream),
    .enabled(
        if: ReplicationFixture.isPossible,
        "there is no .build/python/bin/litestream: deploy/lib/packages test-all gets it from PyPI"))
struct ReplicationTests {
    private final class Load: Sendable {
        /// Refresh tokens of logins that were answered.
        let tokens = Mutex<[String]>([])
        let isStopped = Atomic(false)

        var count: Int { tokens.withLock { $0.count } }
    }

    private func startClients(_ server: ServerProcess, _ load: Load) -> [Background] {
        (0..<4).map { number in
            Background {
                var turn = 0
                while !load.isStopped.load(ordering: .relaxed), turn < 20_000 {
                    turn += 1
                    guard let login = try? server.devLogin("r-\(number)-\(turn)@example.com"), login.status == 200
                    else { continue }
                    load.tokens.withLock { $0.append(login.refreshToken) }
                }
                return []
            }
        }
    }

    @Test("After a machine is lost under load, every write before the last upload is restored")
    func lostMachine() throws {
        let server = try ServerProcess()
        let replication = try ReplicationFixture(of: server)
        let load = Load()
        let threads = startClients(server, load)
        try replication.waitForUploads(2)
        // Kills the server and Litestream, then writes much data. The write-ahead log must not grow without bound.
        try server.killAndRestart()
        replication.end(by: SIGKILL)
        let before = load.count
        #expect(Eventually.holds { load.count > before + 20 })
        try replication.start()
        for _ in 0..<3 {
            let header = logHeader(of: server)
            for _ in 0..<10 {
                try server.change("INSERT OR REPLACE INTO documents VALUES ('ballast', randomblob(3000000), 0)")
            }
            // After an upload, SQLite restarts the write-ahead log from its beginning.
            #expect(
                Eventually.holds(within: 60) { logHeader(of: server) != header }, "the write-ahead log restarts")
        }
        let answered = load.tokens.withLock { $0 }
        // On a slow machine, uploads may lag behind.
        try server.change("INSERT INTO documents VALUES ('last', x'', 0)")
        #expect(
            Eventually.holds(within: 120) {
                (try? fetched(replication, "name", of: "documents"))?.contains("last") == true
            })
        server.process.signal(SIGKILL)
        replication.end(by: SIGKILL)
        load.isStopped.store(true, ordering: .relaxed)
        for thread in threads { _ = thread.result() }
        #expect(answered.count > 20)

        let elsewhere = try TemporaryFolder()
        try replication.fetch(to: elsewhere.file("replica.db"))
        let environment = ["DATABASE_URL": "sqlite:" + elsewhere.file("g.db")]
        let restored = try Shell.outcome(
            of: [Executable.gatehouse, "restore", elsewhere.file("replica.db")], environment: environment)
        #expect(restored.status == 0, "\(restored.errorOutput)")
        try server.restart { $0["DATABASE_URL"] = environment["DATABASE_URL"] }
        for token in answered { #expect(try server.refresh(token).status == 200) }
        #expect(try server.devLogin("new@example.com").status == 200)
    }

    /// The header changes when SQLite restarts the write-ahead log.
    private func logHeader(of server: ServerProcess) -> Data? {
        try? FileHandle(forReadingFrom: URL(fileURLWithPath: server.database + "-wal")).read(upToCount: 32)
    }

    @Test("Replication must be stopped for a restore and continues after it")
    func afterRestore() throws {
        let server = try ServerProcess()
        let backup = server.folder.file("backup.db")
        _ = try server.devLogin("ann@example.com")
        try server.runCommand("backup", backup)
        let replication = try ReplicationFixture(of: server)
        _ = try server.devLogin("gone@example.com")
        try replication.waitForUploads(1)
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        let restore = [Executable.gatehouse, "restore", backup]
        let environment = ["DATABASE_URL": "sqlite:" + server.database]
        let refused = try Shell.outcome(of: restore, environment: environment)
        #expect(refused.status == 1 && refused.errorOutput.contains("Litestream"), "\(refused.errorOutput)")
        replication.end(by: SIGTERM)
        #expect(try Shell.outcome(of: restore, environment: environment).status == 0)
        try server.restart()
        try replication.start()
        _ = try server.devLogin("bob@example.com")
        try replication.waitForUploads(1)
        let late = try server.devLogin("late@example.com")
        #expect(Eventually.holds(within: 60) { (try? fetched(replication).contains(late.userID)) == true })
        let emails = try fetched(replication, "email")
        #expect(emails.sorted() == ["ann@example.com", "bob@example.com", "late@example.com"])
    }

    /// A column of a replicated table.
    private func fetched(
        _ replication: ReplicationFixture, _ column: String = "id", of table: String = "users"
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        try replication.fetch(to: folder.file("r.db"))
        let connection = try Connection(path: folder.file("r.db"), access: .readWrite)
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
        return try connection.all("SELECT \(column) FROM \(table)") { $0.text(0) }
    }
}
