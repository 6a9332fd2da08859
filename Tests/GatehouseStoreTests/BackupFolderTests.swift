import Testing

@testable import GatehouseStore

@Suite("A folder of backups")
struct BackupFolderTests {
    /// Backups of these days of November 2026, and what else lies there.
    private static func names(_ days: [Int]) -> [String] {
        days.map { "gatehouse-2026-11-\($0 < 10 ? "0" : "")\($0)T000000Z.db" }
    }

    @Test(
        "loses what neither the count nor the age keeps",
        arguments: [
            // How many the count keeps, the oldest day that the age keeps, and what goes of the days 1 to 5.
            (0, nil, [5, 4, 3, 2, 1]), (2, nil, [3, 2, 1]), (5, nil, []), (9, nil, []),
            (0, 3, [2, 1]), (2, 3, [2, 1]), (4, 3, [1]), (2, 1, []), (2, 6, [3, 2, 1]), (5, 6, []), (0, 1, []),
        ] as [(Int, Int?, [Int])])
    func superfluous(count: Int, oldest: Int?, gone: [Int]) {
        let others = ["notes.txt", "gatehouse.db", "gatehouse-2020-01-01.db", "gatehouse-2020-01-01T000000Z.db.gz"]
        let names = Self.names([3, 1, 5, 2, 4]) + others
        let found = BackupFolder.superfluous(among: names, beyond: count, from: oldest.map { Self.names([$0])[0] })
        #expect(found == Self.names(gone))
    }
}
