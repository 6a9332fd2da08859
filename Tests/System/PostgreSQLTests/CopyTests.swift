import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: copies")
struct CopyTests {
    private static let table = "CREATE TABLE copied (id BIGINT PRIMARY KEY, name TEXT, hash BYTEA, is_set BOOLEAN)"

    /// An encoded row. The values are big-endian, as the server sends them.
    private func row(_ id: Int64) -> [UInt8] {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
        return switch id % 3 {
        case 0: Self.encoded([number, nil, nil, nil])
        case 1: Self.encoded([number, Array(Self.text.utf8), [0, 9, 10, 92, 255], [1]])
        default: Self.encoded([number, [], [], [0]])
        }
    }

    private static let text = "tab\tline\nreturn\rback\\slash \\N ü"

    private static func encoded(_ columns: [[UInt8]?]) -> [UInt8] {
        [0, UInt8(columns.count)]
            + columns.flatMap { column in
                guard let column else { return [255, 255, 255, 255] as [UInt8] }
                return [0, 0, 0, UInt8(column.count)] + column
            }
    }

    @Test("Rows are read as they were copied", arguments: [0, 1, 20_000])
    func roundTrip(count: Int64) throws {
        let connection = try Fixture().connect()
        try connection.run(Self.table)
        let copied = try connection.copyIn("COPY copied FROM STDIN (FORMAT binary)") { writer in
            for id in 0..<count { try writer.append(row(id).span) }
        }
        #expect(copied == Int(count))
        var next: Int64 = 0
        try connection.copyOut("COPY (SELECT * FROM copied ORDER BY id) TO STDOUT (FORMAT binary)") { found in
            #expect(found.indices.map { found[$0] } == row(next))
            next += 1
        }
        #expect(next == count)
        let texts = "SELECT count(*) FROM copied WHERE id % 3 = 1 AND name = ?1 AND hash = ?2 AND is_set"
        let same = try connection.first(texts, .text(Self.text), .blob([0, 9, 10, 92, 255])) { $0.integer(0) }
        #expect(same == (count + 1) / 3)
        #expect(try connection.integer("SELECT 5") == 5)
    }

    @Test("A copy within a transaction is committed with it")
    func inTransaction() throws {
        let connection = try Fixture().connect()
        try connection.run(Self.table)
        for commits in [false, true] {
            try connection.begin()
            try connection.copyIn("COPY copied FROM STDIN (FORMAT binary)") { try $0.append(row(1).span) }
            #expect(connection.isInTransaction)
            if commits { try connection.commit() } else { try connection.rollback() }
            #expect(try connection.integer("SELECT count(*) FROM copied") == (commits ? 1 : 0))
        }
    }

    @Test("A row that the server refuses fails the copy, and nothing is copied", arguments: [2, 50_000])
    func refused(count: Int64) throws {
        let connection = try Fixture().connect()
        try connection.run(Self.table)
        let error = failure {
            try connection.copyIn("COPY copied FROM STDIN (FORMAT binary)") { writer in
                for id in 0..<count { try writer.append(row(max(1, id)).span) }
            }
        }
        #expect(error?.sqlState == "23505")
        #expect(error?.message == "a row violates copied_pkey")
        #expect(try connection.integer("SELECT count(*) FROM copied") == 0)
    }

    @Test("A copy that this side ends copies nothing, and its error is thrown")
    func ended() throws {
        let connection = try Fixture().connect()
        try connection.run(Self.table)
        let error = failure {
            try connection.copyIn("COPY copied FROM STDIN (FORMAT binary)") { writer in
                try writer.append(row(1).span)
                throw UnreadableValue("a role")
            }
        }
        #expect(error?.message == "a role")
        #expect(try connection.integer("SELECT count(*) FROM copied") == 0)
    }

    @Test("A copy from or to a table that does not exist is refused, and the connection is usable")
    func mistakes() throws {
        let connection = try Fixture().connect()
        #expect(
            failure { try connection.copyIn("COPY nothing FROM STDIN (FORMAT binary)") { _ in } }?.sqlState == "42P01")
        #expect(failure { try connection.copyOut("COPY nothing TO STDOUT") { _ in } }?.sqlState == "42P01")
        #expect(try connection.integer("SELECT 5") == 5)
    }

    @Test("A reader that stops in the middle gives up the connection")
    func stoppedReader() throws {
        let connection = try Fixture().connect()
        let error = failure {
            try connection.copyOut("COPY (SELECT generate_series(1, 1000000)) TO STDOUT (FORMAT binary)") { _ in
                throw UnreadableValue("a role")
            }
        }
        #expect(error?.message == "a role")
        #expect(!connection.isUsable)
    }

    @Test("A script is executed as a whole or not at all")
    func scripts() throws {
        let connection = try Fixture().connect()
        try connection.execute(script: Self.table + "; INSERT INTO copied VALUES (1); INSERT INTO copied VALUES (2)")
        let script = "INSERT INTO copied VALUES (3); INSERT INTO copied VALUES (1)"
        #expect(failure { try connection.execute(script: script) }?.sqlState == "23505")
        #expect(try connection.integer("SELECT count(*) FROM copied") == 2)
        try connection.begin()
        try connection.execute(script: "DELETE FROM copied; DROP TABLE copied")
        try connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM copied") == 2)
    }
}
