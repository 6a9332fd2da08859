import Testing

@testable import GatehouseStore

@Suite("A folder of backups")
struct BackupFolderTests {
    /// The names of backups of these days of November 2026.
    private static func names(_ days: [Int]) -> [String] {
        days.map { "gatehouse-2026-11-\($0 < 10 ? "0" : "")\($0)T000000Z.db" }
    }

    @Test(
        "a backup expires if neither the count nor the age keeps it",
        arguments: [
            // The number to keep, the oldest day to keep, and the days of 1 to 5 that expire.
            (0, nil, [5, 4, 3, 2, 1]), (2, nil, [3, 2, 1]), (5, nil, []), (9, nil, []),
            (0, 3, [2, 1]), (2, 3, [2, 1]), (4, 3, [1]), (2, 1, []), (2, 6, [3, 2, 1]), (5, 6, []), (0, 1, []),
        ] as [(Int, Int?, [Int])])
    func expired(count: Int, oldest: Int?, days: [Int]) {
        let others = ["notes.txt", "gatehouse.db", "gatehouse-2020-01-01.db", "gatehouse-2020-01-01T000000Z.db.gz"]
        let names = Self.names([3, 1, 5, 2, 4]) + others
        let found = BackupFolder.expired(among: names, beyond: count, before: oldest.map { Self.names([$0])[0] })
        #expect(found == Self.names(days))
    }
}
