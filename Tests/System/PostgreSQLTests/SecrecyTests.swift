import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: errors keep secrets")
struct SecrecyTests {
    @Test(
        "An error contains neither the password nor a part of it",
        arguments: [
            "postgresql://user:s3cret@127.0.0.1:1/x", "postgresql://user:s3cret@host.invalid/x",
            "postgresql://user:s3cr%zzet@127.0.0.1/x", "postgresql://user:pass@s3cret@127.0.0.1:1/x",
            "postgresql://user:a@s3cret/x", "postgresql://user:a/s3cret@127.0.0.1:1/x",
            "postgresql://user:a#s3cret@127.0.0.1:1/x", "postgresql://user:a?s3cret@127.0.0.1:1/x",
            "postgresql://user:s3cret@127.0.0.1:s3cret/x", "postgresql://127.0.0.1:1/x?sslmode=s3cret",
            "postgresql://127.0.0.1:1/x?s3cret=1", "host=127.0.0.1 port=1 password=s3cret extra", "s3cret",
            "postgresql://127.0.0.1:1,127.0.0.1:2/x?port=1,2,3&password=s3cret",
        ])
    func passwords(url: String) throws {
        let error = try #require(failure { _ = try Connection(to: url) })
        #expect(!error.description.contains("s3c"))
        #expect(!error.message.isEmpty)
    }

    @Test("The error for a user or a database that the server refuses has no password")
    func refusals() throws {
        let server = try TemporaryPostgreSQL.shared.get()
        let url = server.url(of: "nothing") + "&password=s3cret"
        let error = failure { _ = try Connection(to: url) }
        #expect(error?.sqlState == "3D000")
        #expect(error?.message == "database \"nothing\" does not exist")
        let stranger = failure {
            _ = try Connection(to: server.url(of: "postgres", user: "stranger") + "&password=s3cret")
        }
        #expect(stranger?.isDenied == true)
        #expect(stranger?.isConnectionLost == true)
    }

    @Test("A password that occurs in the message of the server is not repeated")
    func passwordInMessage() throws {
        let url = try TemporaryPostgreSQL.shared.get().url(of: "s3cret") + "&password=s3cret"
        let error = failure { _ = try Connection(to: url) }
        #expect(error?.sqlState == "3D000")
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("An error contains no value of a statement or of a row")
    func values() throws {
        let connection = try Fixture().connectWithTable()
        try connection.execute(
            script: """
                CREATE TABLE checked (name TEXT CONSTRAINT never CHECK (name = '')); CREATE TABLE short (name VARCHAR(2));
                CREATE UNIQUE INDEX once ON things (name); INSERT INTO things VALUES (2, 's3cret')
                """)
        for (sql, value) in [
            ("INSERT INTO things VALUES (1, ?)", "s3cret"), ("SELECT ?::bigint", "s3cret"),
            ("SELECT ?::uuid", "s3cret"), ("SELECT ?::xml", "<s3cret"), ("INSERT INTO checked VALUES (?)", "s3cret"),
            ("SELECT (?::json)->'a'", "s3cret"), ("INSERT INTO short VALUES (?)", "s3cret"),
        ] {
            let error = try #require(failure { try connection.run(sql, .text(value)) }, "\(sql)")
            #expect(!error.description.contains("s3c"), "\(sql)")
            #expect(error.sqlState.hasPrefix("22") || error.sqlState.hasPrefix("23"), "\(sql)")
        }
    }
}
