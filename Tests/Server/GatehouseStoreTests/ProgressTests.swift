import SQL
import SQLite
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("Progress")
struct ProgressTests {
    @Test("the text is nil before the first step, and then has its name, and the amount and the total that are known")
    func text() {
        let progress = Progress()
        #expect(progress.text == nil)
        progress.begin("verifying")
        #expect(progress.text == "verifying")
        for (done, text) in [(0, "0 of 40"), (12, "12 of 40"), (41, "40 of 40")] as [(Int64, String)] {
            progress.begin("copying", unit: "pages", total: 40) { done }
            #expect(progress.text == "copying: \(text) pages")
        }
        progress.begin("copying", unit: "MiB", total: nil) { 3 }
        #expect(progress.text == "copying: 3 MiB")
    }

    @Test("a migration is a step with its name")
    func migration() throws {
        let connection = try Connection(path: ":memory:", access: .readWrite)
        let progress = Progress()
        let last = try #require(try SQLiteMigrator(connection).migrate(progress: progress).last)
        #expect(progress.text == "applying: \(last)")
    }
}

@Suite("A folder of backups")
struct BackupFolderTests {
    /// The names of backups of these days of November 2026.
    private static func names(_ days: [Int]) -> [String] {
        days.map { "gatehouse-2026-11-\($0 < 10 ? "0" : "")\($0)T000000Z.db" }
    }

    @Test(
        "a backup expires if neither the count nor the age keeps it",
        arguments: [
            // Of the backups of the days 1 to 5.
            (count: 0, oldest: nil, expired: [5, 4, 3, 2, 1]), (count: 2, oldest: nil, expired: [3, 2, 1]),
            (count: 5, oldest: nil, expired: []), (count: 9, oldest: nil, expired: []),
            (count: 0, oldest: 3, expired: [2, 1]), (count: 2, oldest: 3, expired: [2, 1]),
            (count: 4, oldest: 3, expired: [1]), (count: 2, oldest: 1, expired: []),
            (count: 2, oldest: 6, expired: [3, 2, 1]), (count: 5, oldest: 6, expired: []),
            (count: 0, oldest: 1, expired: []),
        ] as [(count: Int, oldest: Int?, expired: [Int])])
    func expired(count: Int, oldest: Int?, expired: [Int]) {
        let others = ["notes.txt", "gatehouse.db", "gatehouse-2020-01-01.db", "gatehouse-2020-01-01T000000Z.db.gz"]
        let names = Self.names([3, 1, 5, 2, 4]) + others
        let found = BackupFolder.expired(among: names, beyond: count, before: oldest.map { Self.names([$0])[0] })
        #expect(found == Self.names(expired))
    }
}
