import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import GatehouseStore

/// Always on a PostgreSQL server.
@Suite("Work that the store repeats")
struct RepeatedWorkTests {
    private static let conflict = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$"
    private static let loss = "INSERT INTO things VALUES (1)"
    /// The session ends during the commit, so the outcome is unknown.
    private static let table = """
        CREATE TABLE things (id BIGINT);
        CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER loses AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION lose()
        """

    @Test(
        "is run again after a conflict, and after a loss only if it may have been done before",
        arguments: [(conflict, false, 10), (conflict, true, 10), (loss, false, 1), (loss, true, 4)])
    func count(statement: String, isRepeatable: Bool, expected: Int) throws {
        let server = try TemporaryPostgreSQL.shared.get()
        let url = try server.database()
        let store = try PostgreSQLStore(PostgreSQLSettings(url: url, timeout: .seconds(60)))
        try server.execute(Self.table, in: url)
        var count = 0
        #expect(throws: (any Error).self) {
            try store.attempt(isRepeatable: isRepeatable) { end in
                count += 1
                try store.pool.use(until: end) { connection in _ = try connection.run(statement) }
            }
        }
        #expect(count == expected)
    }
}
