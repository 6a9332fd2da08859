import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: sessions")
struct SessionTests {
    @Test("A connection knows the version and the timeline of its server")
    func facts() throws {
        let connection = try Fixture().connect()
        #expect(connection.serverVersion >= 140_000)
        #expect(connection.timeline == 1)
        #expect(!connection.isPooled)
        #expect(!connection.isStandby)
    }

    @Test("A user who may not read the timeline connects without it")
    func withoutTimeline() throws {
        let fixture = try Fixture()
        let name = try fixture.server.execute("SELECT current_database()", in: fixture.url)
        try fixture.server.execute(
            """
            REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC; CREATE ROLE limited_\(name) LOGIN
            """, in: fixture.url)
        let connection = try Connection(to: fixture.server.url(of: name, user: "limited_\(name)"))
        #expect(connection.timeline == nil)
        #expect(try connection.first("SHOW statement_timeout") { $0.text(0) } == "5s")
    }

    @Test("The session has the timeouts of its options")
    func settings() throws {
        let connection = try Fixture().connect(
            ConnectionOptions(statementTimeout: .seconds(7), lockTimeout: .seconds(3), answerTimeout: .seconds(9)))
        for (name, value) in [
            ("statement_timeout", "7s"), ("lock_timeout", "3s"), ("idle_in_transaction_session_timeout", "9s"),
            ("default_transaction_isolation", "read committed"), ("client_encoding", "UTF8"),
            ("application_name", "gatehouse"),
        ] {
            #expect(try connection.first("SELECT current_setting(?)", .text(name)) { $0.text(0) } == value)
        }
    }

    @Test("What the URL says about the name takes precedence")
    func nameOfURL() throws {
        let connection = try Connection(to: Fixture().url + "&application_name=other")
        #expect(try connection.first("SHOW application_name") { $0.text(0) } == "other")
    }

    @Test("A transaction pooler is detected; transactions have the timeouts, and the sessions keep none and go on")
    func pooler() throws {
        let fixture = try Fixture()
        let pooler = try PgBouncer(before: fixture.url, on: fixture.server)
        let options = ConnectionOptions(statementTimeout: .seconds(7))
        let connection = try Connection(to: pooler.url, options)
        #expect(connection.isPooled)
        try connection.run("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT NOT NULL)")
        for id in 1...3 {
            try connection.begin()
            try connection.send("INSERT INTO things VALUES (?, ?)", .integer(Int64(id)), .text("x"))
            #expect(try connection.first("SHOW statement_timeout") { $0.text(0) } == "7s")
            try connection.commit()
        }
        let other = try Connection(to: pooler.url, options)
        for pooled in [connection, other, connection] {
            #expect(try pooled.integer("SELECT count(*) FROM things WHERE name = ?", .text("x")) == 3)
            #expect(try pooled.first("SHOW statement_timeout") { $0.text(0) } == "0")
            #expect(try pooled.integer("SELECT count(*) FROM pg_prepared_statements") == 0)
        }
        #expect(failure { try connection.listen(to: "news") }?.message.contains("pooler") == true)
        // A failed transaction is rolled back, and the connection is usable.
        try connection.begin()
        try connection.send("SELECT 1 / 0")
        #expect(failure { try connection.commit() }?.sqlState == "22012")
        try connection.rollback()
        #expect(try connection.integer("SELECT 5") == 5)
    }
}

@Suite("PostgreSQL: notifications")
struct NotificationTests {
    @Test("A notification of another connection arrives, once for all that were sent", arguments: ["news", "a \"b\""])
    func arrives(channel: String) throws {
        let fixture = try Fixture()
        let (listener, sender) = (try fixture.connect(), try fixture.connect())
        try listener.listen(to: channel)
        #expect(try !listener.waitForNotifications(until: .now))
        try sender.begin()
        try sender.send("SELECT pg_notify(?, 'a'), pg_notify(?1, 'b')", .text(channel))
        try sender.commit()
        #expect(try listener.waitForNotifications(until: .now + .seconds(60)))
        #expect(try !listener.waitForNotifications(until: .now))
        #expect(try listener.integer("SELECT 5") == 5)
    }

    @Test("A notification that arrives with the answer to a statement is not lost")
    func withAnswer() throws {
        let connection = try Fixture().connect()
        try connection.listen(to: "news")
        try connection.run("SELECT pg_notify('news', '')")
        #expect(try connection.waitForNotifications(until: .now + .seconds(60)))
    }
}
