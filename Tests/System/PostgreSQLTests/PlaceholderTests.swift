import PostgreSQL
import SQL
import TestSupport
import Testing

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
