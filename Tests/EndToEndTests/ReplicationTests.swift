import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

/// The recipe of `deploy/replication`, with a real Litestream and a real sshd.
@Suite(
    "Replication to another machine",
    .enabled(
        if: Replication.isPossible,
        "there is no .build/python/bin/litestream: deploy/lib/packages test gets it from PyPI"))
struct ReplicationTests {
    private final class Load: Sendable {
        /// What clients hold whose login has been answered.
        let tokens = Mutex<[String]>([])
        let isOver = Atomic(false)

        var count: Int { tokens.withLock { $0.count } }
    }

    private func busy(_ house: ServedHouse, _ load: Load) -> [Background] {
        (0..<4).map { number in
            Background {
                var turn = 0
                while !load.isOver.load(ordering: .relaxed), turn < 20_000 {
                    turn += 1
                    guard let login = try? house.devLogin("r-\(number)-\(turn)@example.com"), login.status == 200
                    else { continue }
                    load.tokens.withLock { $0.append(login.refreshToken) }
                }
                return []
            }
        }
    }

    @Test("has all that was answered before the last change that arrived, when the machine is lost under load")
    func lostMachine() throws {
        let house = try ServedHouse()
        let replication = try Replication(of: house)
        let load = Load()
        let threads = busy(house, load)
        try replication.waitForArrivals(2)
        // The server is killed and comes back, and so does Litestream; then much is written, of which no log may grow
        // without end.
        try house.dieAndComeBack()
        replication.end(by: SIGKILL)
        let before = load.count
        #expect(Eventually.holds { load.count > before + 20 })
        try replication.start()
        for _ in 0..<3 {
            let header = logHeader(of: house)
            for _ in 0..<10 {
                try house.change("INSERT OR REPLACE INTO documents VALUES ('ballast', randomblob(3000000), 0)")
            }
            // What has been sent is not needed there any longer, and the next is written over it.
            #expect(Eventually.holds(within: 60) { logHeader(of: house) != header }, "the log begins anew")
        }
        let answered = load.tokens.withLock { $0 }
        // On a slow machine it may be far behind by now.
        try house.change("INSERT INTO documents VALUES ('last', x'', 0)")
        #expect(
            Eventually.holds(within: 120) {
                (try? fetched(replication, "name", of: "documents"))?.contains("last") == true
            })
        house.process.signal(SIGKILL)
        replication.end(by: SIGKILL)
        load.isOver.store(true, ordering: .relaxed)
        for thread in threads { _ = thread.result() }
        #expect(answered.count > 20)

        let elsewhere = try TemporaryFolder()
        try replication.fetch(to: elsewhere.file("replica.db"))
        let environment = ["DATABASE_URL": "sqlite:" + elsewhere.file("g.db")]
        let restored = try Shell.outcome(
            of: [Executable.gatehouse, "restore", elsewhere.file("replica.db")], environment: environment)
        #expect(restored.status == 0, "\(restored.complaint)")
        try house.restart { $0["DATABASE_URL"] = environment["DATABASE_URL"] }
        for token in answered { #expect(try house.refresh(token).status == 200) }
        #expect(try house.devLogin("new@example.com").status == 200)
    }

    /// Its numbers change whenever SQLite begins again at the start of the write-ahead log.
    private func logHeader(of house: ServedHouse) -> Data? {
        try? FileHandle(forReadingFrom: URL(fileURLWithPath: house.database + "-wal")).read(upToCount: 32)
    }

    @Test("has to be stopped for a restore, and takes up what is there then")
    func afterRestore() throws {
        let house = try ServedHouse()
        let backup = house.folder.file("backup.db")
        _ = try house.devLogin("ann@example.com")
        try house.operate("backup", backup)
        let replication = try Replication(of: house)
        _ = try house.devLogin("gone@example.com")
        try replication.waitForArrivals(1)
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 0)
        let restore = [Executable.gatehouse, "restore", backup]
        let environment = ["DATABASE_URL": "sqlite:" + house.database]
        let refused = try Shell.outcome(of: restore, environment: environment)
        #expect(refused.status == 1 && refused.complaint.contains("Litestream"), "\(refused.complaint)")
        replication.end(by: SIGTERM)
        #expect(try Shell.outcome(of: restore, environment: environment).status == 0)
        try house.restart()
        try replication.start()
        _ = try house.devLogin("bob@example.com")
        try replication.waitForArrivals(1)
        let late = try house.devLogin("late@example.com")
        #expect(Eventually.holds(within: 60) { (try? fetched(replication).contains(late.userID)) == true })
        let emails = try fetched(replication, "email")
        #expect(emails.sorted() == ["ann@example.com", "bob@example.com", "late@example.com"])
    }

    /// A column of what has arrived.
    private func fetched(
        _ replication: Replication, _ column: String = "id", of table: String = "users"
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        try replication.fetch(to: folder.file("r.db"))
        let connection = try Connection(path: folder.file("r.db"), access: .readWrite)
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
        return try connection.all("SELECT \(column) FROM \(table)") { $0.text(0) }
    }
}
