import Foundation
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Backup under load", .needs(.time))
struct BackupUnderLoadTests {
    private final class Load: Sendable {
        /// Users whose login was answered with 200.
        let users = Mutex<[String]>([])
        let faults = Mutex<[String]>([])
        let isStopped = Atomic(false)

        var count: Int { users.withLock { $0.count } }
    }

    @Test("A backup contains every login that was answered before it began and blocks no login")
    func load() throws {
        let server = try ServerProcess()
        // Makes the copy take long enough.
        try server.change("INSERT INTO documents VALUES ('ballast', randomblob(4000000), 0)")
        let load = Load()
        let busy = (0..<4).map { number in
            Background {
                var turn = 0
                while !load.isStopped.load(ordering: .relaxed), turn < 5000 {
                    turn += 1
                    do {
                        let login = try server.devLogin("load-\(number)-\(turn)@example.com")
                        guard login.status == 200 else { throw Spawn.Failure(description: "\(login.status)") }
                        load.users.withLock { $0.append(login.userID) }
                    } catch {
                        load.faults.withLock { $0.append("\(error)") }
                    }
                }
                return []
            }
        }
        #expect(Eventually.holds { load.count >= 20 })
        for round in 0..<(Need.areAllMet ? 3 : 1) {
            let before = load.users.withLock { $0 }
            let path = server.folder.file("backup-\(round).db")
            // Delays each write of the copy, so that logins happen during it.
            let outcome = try Shell.outcome(
                of: ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64"] + [
                    "-e", "inject=pwrite64:delay_enter=1000", Executable.gatehouse, "backup", path,
                ],
                environment: ["DATABASE_URL": "sqlite:" + server.database, "PATH": "/usr/bin:/bin"])
            #expect(outcome.status == 0, "\(outcome.errorOutput)")
            #expect(load.count > before.count, "logins succeeded during the backup")
            let copy = try Connection(path: path, access: .readOnly)
            let there = Set(try copy.all("SELECT id FROM users") { $0.text(0) })
            #expect(before.allSatisfy(there.contains))
            // A login adds one row to each of these tables in one transaction.
            let sizes = try ["users", "auth_accounts", "refresh_tokens", "audit_events"].map { table in
                try copy.first("SELECT count(*) FROM \(table)") { $0.integer(0) }
            }
            #expect(Set(sizes).count == 1)
        }
        load.isStopped.store(true, ordering: .relaxed)
        for thread in busy { _ = thread.result() }
        #expect(load.faults.withLock { $0 } == [])
    }
}
