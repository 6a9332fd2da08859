import Gatehouse
import GatehouseServer
import GatehouseStore
import Testing

@testable import GatehouseCommand

/// The evaluation of the facts about a PostgreSQL server.
@Suite("Checks of a PostgreSQL server evaluate")
struct PostgreSQLEvaluationTests {
    private static let good: PostgreSQLFacts = {
        var facts = PostgreSQLFacts()
        (facts.address, facts.isEncrypted, facts.version) = ("db1:5432", true, 150_018)
        facts.privileges.user = "gatehouse"
        facts.durability.synchronousStandbyNames = "*"
        (facts.durability.standbys, facts.durability.synchronousStandbys) = (2, 1)
        (facts.durability.isArchiving, facts.durability.baseBackupAge) = (true, .seconds(3 * 86_400))
        return facts
    }()

    private func findings(
        timer: UnitStatus? = nil, connections: Int = 8, _ change: (inout PostgreSQLFacts) -> Void
    ) -> [(subject: String, finding: Finding)] {
        var facts = Self.good
        change(&facts)
        let evaluation = PostgreSQLEvaluation(
            facts: facts, settings: PostgreSQLSettings(url: "postgresql://db1/gatehouse", connections: connections))
        return evaluation.report + evaluation.backups(timer: timer).map { ("backups", $0) }
    }

    /// Expects exactly one finding that is not good, with advice.
    private func expect(
        _ grade: Finding.Grade, _ subject: String, _ message: String, advice: String? = nil, timer: UnitStatus? = nil,
        connections: Int = 8, place: SourceLocation = #_sourceLocation, _ change: (inout PostgreSQLFacts) -> Void
    ) {
        let found = findings(timer: timer, connections: connections, change).filter { $0.finding.grade != .ok }
        #expect(found.map(\.finding.grade) == [grade], "\(found)", sourceLocation: place)
        #expect(found.first?.subject == subject, "\(found)", sourceLocation: place)
        #expect(found.first?.finding.message.contains(message) == true, "\(found)", sourceLocation: place)
        #expect(found.first?.finding.advice?.contains(advice ?? "") == true, "\(found)", sourceLocation: place)
    }

    @Test("a server with a synchronous standby and an archive as good")
    func sound() {
        let found = findings { _ in }
        #expect(found.allSatisfy { $0.finding.grade == .ok }, "\(found)")
        let subjects = ["database", "privileges", "durability", "connections", "server clock", "backups"]
        #expect(found.map(\.subject) == subjects)
        #expect(found[0].finding.message == "the primary is db1:5432 (TLS), PostgreSQL 15.18")
        #expect(found[2].finding.message.contains("1 of 2 can confirm them"))
    }

    @Test("the version: 14 is the oldest", arguments: [(130_020, false), (140_000, true), (170_002, true)])
    func version(_ version: Int, _ isSupported: Bool) {
        let found = findings { $0.version = version }
        #expect(found[0].finding.grade == (isSupported ? .ok : .fault))
        guard !isSupported else { return }
        expect(.fault, "database", "is PostgreSQL 13.20, and 14 is the oldest") { $0.version = version }
    }

    @Test("the way to another machine: TLS, and a certificate that is verified")
    func protection() {
        expect(.fault, "database", "db1:5432 is not encrypted", advice: "remove sslmode") {
            ($0.isEncrypted, $0.isProtected) = (false, false)
        }
        expect(.fault, "database", "does not prove that it is the server", advice: "verify-full") {
            $0.isProtected = false
        }
        let day: Int64 = 86_400_000
        let now = Platform.system.now().milliseconds
        expect(.fault, "database", "ends at ", advice: "ssl_cert_file") {
            $0.certificateEnd = Timestamp(milliseconds: now + 13 * day)
        }
        #expect(
            findings { $0.certificateEnd = Timestamp(milliseconds: now + 15 * day) }
                .allSatisfy { $0.finding.grade == .ok })
        #expect(findings { $0.address = "/run/postgresql/.s.PGSQL.5432" }[0].finding.message.contains("(a socket)"))
    }

    @Test("settings that are turned off in the database")
    func upkeep() {
        expect(.fault, "upkeep", "autovacuum is off", advice: "autovacuum = on") { $0.upkeep.isAutovacuumOn = false }
    }

    @Test("privileges: a server need not migrate, but must read and write")
    func privileges() {
        expect(.fault, "privileges", "may use no schema", advice: "GRANT USAGE ON SCHEMA") {
            $0.privileges.schema = nil
        }
        let limited = findings { ($0.privileges.canCreate, $0.privileges.ownsTables) = (false, false) }
        #expect(limited.allSatisfy { $0.finding.grade == .ok })
        #expect(limited[1].finding.message.contains("may not migrate: run gatehouse migrate as their owner"))
    }

    @Test("durability: the loss at a crash or a failover")
    func durability() {
        for (name, path) in [
            ("fsync", \PostgreSQLFacts.Durability.isFlushed), ("full_page_writes", \.writesFullPages),
        ] {
            expect(.fault, "durability", "\(name) is off", advice: "\(name) = on") {
                $0.durability[keyPath: path] = false
            }
        }
        expect(.note, "durability", "no standby is synchronous", advice: "synchronous_mode: true") {
            $0.durability.synchronousStandbyNames = ""
        }
        expect(.note, "durability", "synchronous_commit is local") { $0.durability.synchronousCommit = "local" }
        expect(.fault, "durability", "none streams", advice: "start the standby") {
            $0.durability.synchronousStandbys = 0
        }
        let off = findings { $0.durability.synchronousCommit = "off" }.filter { $0.finding.grade != .ok }
        #expect(off.map(\.finding.grade) == [.fault, .note], "\(off)")
        let unknown = findings { ($0.durability.standbys, $0.durability.synchronousStandbys) = (nil, nil) }
        #expect(unknown.allSatisfy { $0.finding.grade == .ok })
        #expect(unknown[2].finding.message.contains("GRANT pg_monitor TO gatehouse"))
    }

    @Test("the number of connections, unless a pooler shares them")
    func connections() {
        expect(.fault, "connections", "10 connections are allowed", advice: "DATABASE_CONNECTIONS") {
            $0.connections.limit = 10
        }
        expect(.note, "connections", "not enough for two nodes") { $0.connections.limit = 21 }
        expect(.note, "connections", "not enough for two nodes", connections: 50) { _ in }
        expect(.note, "connections", "idle_session_timeout", advice: "ALTER ROLE gatehouse") {
            $0.connections.idleTimeout = .seconds(60)
        }
        expect(.note, "pooler", "refused after up to 2 s", advice: "to the server itself") {
            ($0.isPooled, $0.connections.limit) = (true, 10)
        }
    }

    @Test("transactions that are open for long, and the clock")
    func time() {
        expect(.note, "transactions", "has been open for 90 s", advice: "pg_terminate_backend(7)") {
            $0.oldTransaction = .init(process: 7, age: .seconds(90))
        }
        expect(.note, "server clock", "1500 ms behind this machine's") { $0.clockLead = .milliseconds(-1500) }
        expect(.fault, "server clock", "31000 ms ahead of this machine's") { $0.clockLead = .seconds(31) }
        #expect(findings { $0.clockLead = .seconds(1) }.allSatisfy { $0.finding.grade == .ok })
    }

    @Test("the archive, and a timer that backs up files")
    func backups() {
        expect(.note, "backups", "not archived", advice: "Backups.md") { $0.durability.isArchiving = false }
        expect(.note, "backups", "no record of a base backup", advice: "pg_basebackup") {
            $0.durability.baseBackupAge = nil
        }
        expect(.note, "backups", "ended 9 days ago", advice: "pg_basebackup") {
            $0.durability.baseBackupAge = .seconds(9 * 86_400)
        }
        expect(.fault, "backups", "cannot be archived", advice: "pg_stat_archiver") {
            $0.durability.isArchiveFailing = true
        }
        let text = "Id=gatehouse-backup.timer\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"
        expect(
            .note, "backups", "backs up a database in a file", advice: "systemctl disable",
            timer: Units(parsing: text).all.first
        ) { _ in }
    }
}
