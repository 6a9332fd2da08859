import JSON
import TestSupport
import Testing

/// Commands of operators with a database on a PostgreSQL server. Those for users have suites of their own, which use a
/// server if `GATEHOUSE_TEST_DATABASE` says so.
@Suite("Commands for a PostgreSQL database")
struct PostgreSQLCommandTests {
    /// The shared server neither flushes nor vacuums, which the check reports as faults.
    private static let flushing = Result { try TemporaryPostgreSQL(settings: ["fsync": "on", "autovacuum": "on"]) }

    private let tool: Tool
    private let server: TemporaryPostgreSQL

    init() throws {
        tool = try Tool()
        server = try Self.flushing.get()
    }

    private func run(_ words: String..., at url: String) throws -> Shell.Outcome {
        try tool.run(words, tool.settings(["APP_ENV": "development", "DATABASE_URL": url]))
    }

    private func check(_ url: String) throws -> Shell.Outcome { try run("check", "--offline", at: url) }

    private func migrated() throws -> String {
        let url = try server.database()
        try run("migrate", at: url).expect(0)
        return url
    }

    /// A migrated database as the page on PostgreSQL has it installed, for the user of the servers.
    private func servedDatabase() throws -> String {
        let url = try migrated()
        let name = try server.execute("SELECT current_database()", in: url)
        let user = "user_of_\(name)"
        try server.execute("CREATE ROLE \(user) LOGIN IN ROLE pg_monitor")
        try server.execute("REVOKE ALL ON DATABASE \(name) FROM PUBLIC", in: url)
        try server.execute("GRANT CONNECT ON DATABASE \(name) TO \(user)", in: url)
        try server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(user)", in: url)
        return server.url(of: name, user: user)
    }

    @Test("migrate creates the schema once, and nothing of an operator's command does")
    func migrate() throws {
        let url = try server.database()
        try run("users", "list", at: url).expect(3, saying: "run gatehouse migrate")
        #expect(try server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", in: url) == "0")
        let first = try run("migrate", at: url)
        #expect(first.status == 0 && first.text.hasPrefix("applied: "), "\(first.everything)")
        #expect(try run("migrate", at: url).text == "up to date\n")
        try run("users", "list", at: url).expect(0)
        try server.execute("UPDATE gatehouse_schema SET version = 99, usable_by = 99", in: url)
        let newer = try run("migrate", at: url)
        newer.expect(3, saying: "newer")
    }

    @Test("backup and restore exit 2, change nothing, and say which tools do it", arguments: ["backup", "restore"])
    func backups(command: String) throws {
        let (url, file) = (try migrated(), tool.folder.file("copy.db"))
        let outcome = try run(command, file, at: url)
        outcome.expectRefusal(2)
        let isBackup = command == "backup"
        let tools = isBackup ? ["pg_basebackup", "pg_dump"] : ["base backup", "point in time", "pg_restore"]
        for tool in tools + ["Backups.md"] { #expect(outcome.errorOutput.contains(tool), "\(outcome.errorOutput)") }
        #expect(!outcome.errorOutput.contains(url))
    }

    @Test("check finds no fault in a sound database, and reports the loss at a failover")
    func sound() throws {
        let url = try servedDatabase()
        let outcome = try check(url)
        outcome.expect(0)
        for subject in ["database", "privileges", "connections", "server clock", "schema", "sealed data"] {
            #expect(outcome.text.contains("ok     \(subject) "), "\(outcome.text)")
        }
        #expect(outcome.text.contains(/note   durability +no standby is synchronous/))
        #expect(outcome.text.contains(/note   backups +the write-ahead log is not archived/))
        #expect(!outcome.everything.contains(url))
        let json = try JSONValue(parsing: run("check", "--offline", "--json", at: url).output).object
        #expect(json?["ok"] == true)
    }

    @Test("check reports an encoding, missing privileges and a schema that cannot work")
    func faults() throws {
        try server.execute("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        let ascii = try check(server.url(of: "ascii"))
        #expect(ascii.status == 1 && ascii.text.contains(/FAULT  encoding +\S.*SQL_ASCII/), "\(ascii.text)")
        #expect(ascii.text.contains(/note   schema +\S.*schema 0/))
        #expect(ascii.text.contains("createdb --encoding=UTF8"))

        let database = String(try migrated().split(separator: "?")[0].split(separator: "/").last ?? "")
        try server.execute("CREATE ROLE reader LOGIN")
        try server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", in: server.url(of: database))
        let reader = try check(server.url(of: database, user: "reader"))
        #expect(
            reader.status == 1 && reader.text.contains(/FAULT  privileges +reader may not read and write: .*users/),
            "\(reader.text)")
        #expect(reader.text.contains(/ok     schema/), "\(reader.text)")
        try server.execute("CREATE DATABASE empty")
        try server.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC", in: server.url(of: "empty"))
        try server.execute("GRANT USAGE ON SCHEMA public TO reader", in: server.url(of: "empty"))
        let empty = try check(server.url(of: "empty", user: "reader"))
        #expect(empty.text.contains(/FAULT  schema +\S.*schema 0, .*may not update it: none starts/), "\(empty.text)")
        #expect(reader.text.contains("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader"))
    }

    @Test("check names a superuser, a database that every user may open, and settings that are turned off")
    func turnedOff() throws {
        let owner = try migrated()
        let open = try check(owner)
        #expect(open.status == 1 && open.text.contains(/FAULT  privileges +postgres is a superuser/), "\(open.text)")
        #expect(open.text.contains(/note   privileges +every user of the server may connect/))
        #expect(open.text.contains("PostgreSQL.md, Installing") && open.text.contains("REVOKE ALL ON DATABASE"))

        let url = try servedDatabase()
        let name = try server.execute("SELECT current_database()", in: url)
        let sound = try check(url)
        #expect(!sound.text.contains("superuser") && !sound.text.contains("may connect"), "\(sound.text)")
        #expect(!sound.text.contains("upkeep"), "\(sound.text)")
        for change in [
            "ALTER TABLE users DISABLE TRIGGER ALL", "ALTER TABLE revocations SET (autovacuum_enabled = off)",
        ] {
            try server.execute(change, in: server.url(of: name))
        }
        let changed = try check(url)
        #expect(changed.status == 1 && changed.text.contains(/FAULT  upkeep +triggers are disabled: .* on users/))
        #expect(changed.text.contains(/FAULT  upkeep +autovacuum leaves out: revocations/), "\(changed.text)")
        for advice in ["ENABLE TRIGGER ALL", "RESET (autovacuum_enabled)"] {
            #expect(changed.text.contains(advice), "\(changed.text)")
        }
    }

    @Test("check names the fault of the connection to the server, without the URL")
    func unreachable() throws {
        for (url, subject) in [
            (server.url(of: "missing"), "missing"), (server.url(of: "postgres", user: "stranger"), "stranger"),
            ("postgresql://user:hunter2@127.0.0.1:1/gatehouse", "no primary can be reached"),
        ] {
            let outcome = try check(url)
            outcome.expect(1, printing: "FAULT  database ")
            #expect(outcome.text.contains(subject) && outcome.text.contains("       → "), "\(outcome.text)")
            #expect(!outcome.everything.contains("hunter2") && !outcome.everything.contains(url))
        }
    }

    @Test("check names what each server answered, and advises on the cause")
    func causes() throws {
        let database = try server.execute("SELECT current_database()", in: migrated())
        try server.execute("CREATE ROLE full LOGIN CONNECTION LIMIT 0")
        try server.execute("CREATE ROLE silent LOGIN")
        try server.execute("ALTER ROLE silent SET default_transaction_read_only = on")
        let socket = server.folder.split(separator: "/").map { "%2F" + $0 }.joined() + ":\(server.port)"
        for (user, parts) in [
            ("full", ["53300 too many connections", "127.0.0.1:1: ", "raise max_connections"]),
            ("silent", ["read-only", "default_transaction_read_only"]),
        ] {
            let outcome = try check("postgresql://\(user)@\(socket),127.0.0.1:1/\(database)")
            outcome.expect(1, printing: "no primary can be reached: ")
            for part in parts { #expect(outcome.text.contains(part), "\(outcome.text)") }
        }
    }
}
