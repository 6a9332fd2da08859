import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: pipelines and transactions")
struct PipelineTests {
    @Test("A committed transaction is there, a rolled back one is not")
    func transactions() throws {
        let fixture = try Fixture()
        let connection = try fixture.connectWithTable()
        try connection.begin()
        try connection.send("INSERT INTO things VALUES (?, ?)", .integer(1), .text("one"))
        #expect(try connection.run("UPDATE things SET name = 'eins'") == 1)
        #expect(connection.isInTransaction)
        try connection.commit()
        #expect(!connection.isInTransaction)

        try connection.begin()
        try connection.send("DELETE FROM things")
        try connection.rollback()
        #expect(!connection.isInTransaction)
        #expect(try fixture.connect().first("SELECT name FROM things") { $0.text(0) } == "eins")
    }

    @Test("The rows of queued queries are read with the next answer, and an unreadable one is thrown then")
    func queries() throws {
        let connection = try Fixture().connectWithTable()
        try connection.begin()
        var rows: [[Int64]] = [[], []]
        try connection.query("SELECT * FROM unnest(?1::bigint[])", with: [.integers([1, 2])]) { row in
            rows[0].append(row.integer(0))
        }
        try connection.query("SELECT * FROM unnest(?1::bigint[])", with: [.integers([])]) { row in
            rows[1].append(row.integer(0))
        }
        #expect(rows == [[], []])
        #expect(try connection.integer("SELECT 3") == 3)
        #expect(rows == [[1, 2], []])
        try connection.query("SELECT 1 WHERE ?1::text[] IS NOT NULL", with: [.texts(["a"])]) { _ in
            throw UnreadableValue("a word")
        }
        let error = failure { _ = try connection.integer("SELECT 4") }
        #expect(error?.isDamage == true)
        #expect(connection.isUsable)
        try connection.rollback()
    }

    @Test("The first error of a pipeline is thrown, nothing is committed, and the connection is usable")
    func failureInTheMiddle() throws {
        let connection = try Fixture().connectWithTable()
        try connection.begin()
        try connection.send("INSERT INTO things VALUES (1, 'one')")
        try connection.send("INSERT INTO things VALUES (1, 'again')")
        try connection.send("INSERT INTO nothing VALUES (1)")
        let error = failure { try connection.commit() }
        #expect(error?.sqlState == "23505")
        #expect(error?.isOutcomeUnknown == false)
        #expect(error?.message == "a row violates things_pkey")
        #expect(connection.isUsable)
        #expect(connection.isInTransaction)
        try connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM things") == 0)
    }

    @Test("A rollback after statements that were only queued ends the transaction", arguments: [true, false])
    func rollbackOfQueued(fails: Bool) throws {
        let connection = try Fixture().connectWithTable()
        try connection.begin()
        try connection.send("INSERT INTO things VALUES (1, ?)", fails ? .null : .text("one"))
        try connection.rollback()
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM things") == 0)
    }

    @Test("Committing a transaction with a failed statement throws, and says that nothing was committed")
    func commitOfFailed() throws {
        let connection = try Fixture().connectWithTable()
        try connection.begin()
        #expect(failure { try connection.run("SELECT 1 / 0") }?.sqlState == "22012")
        let error = failure { try connection.commit() }
        #expect(error?.sqlState == "25P02")
        #expect(error?.isOutcomeUnknown == false)
        #expect(!connection.isInTransaction)
    }

    @Test("A constraint that is checked at the commit fails the commit", arguments: [true, false])
    func deferredConstraint(inTransaction: Bool) throws {
        let connection = try Fixture().connectWithTable()
        try connection.run("CREATE TABLE parts (id BIGINT REFERENCES things DEFERRABLE INITIALLY DEFERRED)")
        if inTransaction { try connection.begin() }
        let error = failure {
            try connection.run("INSERT INTO parts VALUES (7)")
            if inTransaction { try connection.commit() }
        }
        #expect(error?.sqlState == "23503")
        #expect(error?.message == "a row violates parts_id_fkey")
        try connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM parts") == 0)
    }

    @Test("A statement whose preparation was skipped is prepared later")
    func skippedPreparation() throws {
        let connection = try Fixture().connectWithTable()
        for _ in 0..<3 {
            try connection.begin()
            try connection.send("SELECT 1 / 0")
            try connection.send("INSERT INTO things VALUES (2, 'two')")
            #expect(failure { try connection.commit() }?.sqlState == "22012")
            try connection.rollback()
        }
        #expect(try connection.run("INSERT INTO things VALUES (2, 'two')") == 1)
        #expect(try connection.integer("SELECT count(*) FROM things") == 1)
    }

    @Test("A statement with a mistake is refused each time, and correct ones go on")
    func mistakes() throws {
        let connection = try Fixture().connect()
        for _ in 0..<2 {
            #expect(failure { try connection.run("SELEKT 1") }?.sqlState == "42601")
            #expect(try connection.integer("SELECT 5") == 5)
        }
    }

    @Test("A statement is prepared anew after its result has changed its type, or the server has forgotten it")
    func reprepared() throws {
        let connection = try Fixture().connectWithTable()
        #expect(try connection.all("SELECT * FROM things") { $0.integer(0) } == [])
        try connection.run("ALTER TABLE things ADD COLUMN more TEXT")
        #expect(failure { _ = try connection.all("SELECT * FROM things") { $0.integer(0) } }?.isRetryable == true)
        #expect(try connection.all("SELECT * FROM things") { $0.integer(0) } == [])

        try connection.run("DEALLOCATE ALL")
        #expect(failure { _ = try connection.all("SELECT * FROM things") { $0.integer(0) } }?.isRetryable == true)
        #expect(try connection.all("SELECT * FROM things") { $0.integer(0) } == [])
    }

    @Test("More is sent and received than the buffers of the socket hold")
    func largePipeline() throws {
        let connection = try Fixture().connect()
        let text = String(repeating: "x", count: 20_000)
        try connection.begin()
        for _ in 0..<500 { try connection.send("SELECT repeat(?::text, 2)", .text(text)) }
        #expect(try connection.integer("SELECT 1") == 1)
        try connection.commit()
    }
}
