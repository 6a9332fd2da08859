import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: values")
struct ValueTests {
    @Test("A text or a blob is read as it was written")
    func texts() throws {
        let connection = try Fixture().connect()
        for text in ["", "a", "Grüße 🐘", "'\"\\$1?", String(repeating: "ü", count: 500_000)] {
            let isSame = try connection.first("SELECT ?::text", .text(text)) { $0.optionalText(0) } == text
            #expect(isSame, "\(text.prefix(10))")
        }
        for blob in [[], [0], [0, 255, 92], [UInt8](repeating: 7, count: 3_000_000)] as [[UInt8]] {
            let isSame = try connection.first("SELECT ?::bytea", .blob(blob)) { $0.optionalBlob(0) } == blob
            #expect(isSame, "\(blob.prefix(10))")
        }
    }

    @Test("An integer is read as it was written; integers of each size and flags are read as integers")
    func integers() throws {
        let connection = try Fixture().connect()
        for number in [0, 1, -1, 9, 10, -10, Int64.max, Int64.min] {
            #expect(try connection.first("SELECT ?::bigint", .integer(number)) { $0.optionalInteger(0) } == number)
        }
        let read = try connection.first("SELECT (-2)::smallint, (-3)::integer, (-4)::bigint, true, false, '5'::xid8") {
            row in (0..<6).map { row.integer(Int32($0)) }
        }
        #expect(read == [-2, -3, -4, 1, 0, 5])
    }

    @Test("A flag is written to a column of booleans")
    func flags() throws {
        let connection = try Fixture().connect()
        try connection.run("CREATE TABLE flags (is_set BOOLEAN)")
        try connection.run("INSERT INTO flags VALUES (?), (?), (?)", .flag(true), .flag(false), .null)
        let read = try connection.all("SELECT is_set FROM flags ORDER BY is_set") { $0.optionalFlag(0) }
        #expect(read == [false, true, nil])
    }

    @Test("NULL is read as nil, or as an empty value")
    func nulls() throws {
        let connection = try Fixture().connect()
        let isEmpty = try connection.first("SELECT ?1::text, ?1::bytea, ?1::bigint", .null) { row in
            row.optionalText(0) == nil && row.optionalBlob(1) == nil && row.optionalInteger(2) == nil
                && row.text(0) == "" && row.blob(1) == [] && row.integer(2) == 0
        }
        #expect(isEmpty == true)
    }

    @Test("A text with a zero byte is refused, and nothing is sent")
    func zeroBytes() throws {
        let connection = try Fixture().connectWithTable()
        for text in ["\0", "a\0b", "a\0"] {
            let error = failure { try connection.run("INSERT INTO things VALUES (1, ?)", .text(text)) }
            #expect(error?.description.contains("zero byte") == true)
            let inArray = failure { _ = try connection.all("SELECT ?::text[]", with: [.texts([text])]) { $0.text(0) } }
            #expect(inArray == error)
        }
        #expect(try connection.integer("SELECT count(*) FROM things") == 0)
    }

    @Test("Arrays are written with their NULLs, and an empty one has no elements")
    func arrays() throws {
        let connection = try Fixture().connect()
        let sql = "SELECT * FROM unnest(?1::text[], ?2::bigint[], ?3::bytea[]) AS rows (a, b, c)"
        let rows = try connection.all(
            sql, with: [.texts(["a", nil, ""]), .integers([Int64.min, nil, 7]), .blobs([[0, 1], nil, []])]
        ) { row in
            "\(row.optionalText(0) as Any) \(row.optionalInteger(1) as Any) \(row.optionalBlob(2) as Any)"
        }
        #expect(
            rows == [
                "Optional(\"a\") Optional(\(Int64.min)) Optional([0, 1])", "nil nil nil",
                "Optional(\"\") Optional(7) Optional([])",
            ])
        for (type, array) in [("text", Parameter.texts([])), ("bigint", .integers([])), ("bytea", .blobs([]))] {
            #expect(try connection.all("SELECT cardinality(?::\(type)[])", with: [array]) { $0.integer(0) } == [0])
        }
    }
}

@Suite("PostgreSQL: placeholders")
struct PlaceholderTests {
    @Test("A placeholder is a parameter outside of quotes and comments")
    func quotes() throws {
        let connection = try Fixture().connect()
        let sql = """
            SELECT ?::text, '?', 'it''s ?' AS "a ""?"" name", -- a comment?
            /* another? */ ?::text
            """
        let read = try connection.first(sql, .text("a"), .text("b")) { row in (0..<4).map { row.text(Int32($0)) } }
        #expect(read == ["a", "?", "it's ?", "b"])
    }

    @Test("A number names a parameter, and a placeholder without one takes the next number")
    func numbers() throws {
        let connection = try Fixture().connect()
        let read = try connection.first(
            "SELECT ?2::text || ?1 || ?2, ?::text", .text("a"), .text("b"), .text("c")
        ) { row in [row.text(0), row.text(1)] }
        #expect(read == ["bab", "c"])
    }
}
