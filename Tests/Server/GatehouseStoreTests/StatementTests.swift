import SQL
import SQLite
import TestSupport
import Testing

@Suite("Statements")
struct StatementTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.file("s.db"), access: .readWrite)
        try connection.execute(script: "CREATE TABLE t (n INTEGER PRIMARY KEY, word TEXT, bytes BLOB)")
    }

    @Test(
        "a value is read as it was bound, whatever was bound before",
        arguments: [
            [0], [1, 0, 1], [3, 15, 16, 63, 64, 65], [100_000, 0, 7, 100_001], [1000, 1000, 0, 0],
        ])
    func values(lengths: [Int]) throws {
        for (number, length) in lengths.enumerated() {
            let word = String(repeating: "ä", count: length)
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 + number) }
            try connection.run(
                "INSERT INTO t (n, word, bytes) VALUES (?, ?, ?)", .integer(Int64(number)), .text(word), .blob(bytes))
            let found = try connection.first(
                "SELECT word, bytes FROM t WHERE n = ? AND word = ? AND bytes = ?", .integer(Int64(number)),
                .text(word), .blob(bytes)
            ) { ($0.optionalText(0), $0.optionalBlob(1)) }
            #expect(found?.0 == word && found?.1 == bytes)
        }
    }

    @Test("null and empty values differ")
    func nulls() throws {
        try connection.run("INSERT INTO t (n, word, bytes) VALUES (1, ?, ?)", .null, .null)
        try connection.run("INSERT INTO t (n, word, bytes) VALUES (2, ?, ?)", .text(""), .blob([]))
        let found = try connection.all("SELECT word, bytes, n FROM t ORDER BY n") { row in
            [row.optionalText(0) == nil, row.optionalBlob(1) == nil, row.optionalInteger(2) == nil]
        }
        #expect(found == [[true, true, false], [false, false, false]])
        let kinds = try connection.first("SELECT typeof(word), typeof(bytes) FROM t WHERE n = 2") {
            [$0.text(0), $0.text(1)]
        }
        #expect(kinds == ["text", "blob"])
    }

    @Test("the cache tells statements of the same length apart, and statements that are 256 bytes longer")
    func lengths() throws {
        for _ in 0..<2 {
            for number in 10..<20 {
                let sql = "SELECT \(number)"
                for text in [sql, sql + String(repeating: " ", count: 256)] {
                    #expect(try connection.first(text) { $0.integer(0) } == Int64(number))
                }
            }
        }
    }
}
