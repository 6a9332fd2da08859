import Gatehouse
import GatehouseServer
import GatehouseStore

/// Evaluates what is known of a PostgreSQL server.
struct PostgreSQLEvaluation {
    static let oldestVersion = 140_000
    /// A difference of the clocks up to this is normal.
    static let clockTolerance = Duration.seconds(1)
    /// With a larger difference, tokens that other nodes have issued seem to be issued in the future.
    static let clockLimit = Duration.seconds(30)

    let facts: PostgreSQLFacts
    let settings: PostgreSQLSettings
    var now = Platform.system.now()

    /// In the order of the report, without the schema.
    var report: [(subject: String, finding: Finding)] {
        [("database", database)] + [certificate].compactMap { $0 }.map { ("database", $0) }
            + [encoding].compactMap { $0 }.map { ("encoding", $0) } + privileges.map { ("privileges", $0) }
            + durability.map { ("durability", $0) } + upkeep.map { ("upkeep", $0) }
            + connections.map { ("connections", $0) }
            + [pooler].compactMap { $0 }.map { ("pooler", $0) }
            + [transactions].compactMap { $0 }.map { ("transactions", $0) } + [("server clock", clock)]
    }

    var database: Finding {
        let version = "PostgreSQL \(facts.version / 10_000).\(facts.version % 10_000)"
        guard facts.version >= Self.oldestVersion else {
            return .fault("\(facts.address) is \(version), and 14 is the oldest supported", "upgrade PostgreSQL")
        }
        guard facts.isProtected else {
            let danger = facts.isEncrypted ? "does not prove that it is the server that is meant" : "is not encrypted"
            return .fault(
                "the connection to \(facts.address) \(danger): who is between can read and change everything",
                "remove sslmode from DATABASE_URL (and PGSSLMODE), which makes it verify-full; sslrootcert names the "
                    + "authority of the server's certificate")
        }
        let isLocal = facts.address.hasPrefix("/")
        let transport = isLocal ? "a socket" : facts.isEncrypted ? "TLS" : "not encrypted"
        return .ok("the primary is \(facts.address) (\(transport)), \(version)")
    }

    /// After the certificate's end, all nodes refuse a server that has to prove its name.
    private var certificate: Finding? {
        guard let end = facts.certificateEnd, end < now + CertificateCheck.minimumValidity else { return nil }
        let days = (end.milliseconds - now.milliseconds) / 86_400_000
        return .fault(
            "the certificate of \(facts.address) ends at \(end), in \(days) days: no node connects after that",
            "renew the certificate of that server (ssl_cert_file), and reload it: SELECT pg_reload_conf()")
    }

    var encoding: Finding? {
        guard facts.encoding != "UTF8" else { return nil }
        return .fault(
            "the encoding of the database is \(facts.encoding), and must be UTF8",
            "create another one, and restore a dump into it: createdb --encoding=UTF8 --template=template0")
    }

    var privileges: [Finding] {
        tablePrivileges + [superuser, publicPrivileges].compactMap { $0 }
    }

    private var superuser: Finding? {
        guard facts.privileges.isSuperuser else { return nil }
        return .fault(
            "\(facts.privileges.user) is a superuser: who gets its password can run programs on the server",
            "connect as a user who may only read and write the tables: PostgreSQL.md, Installing")
    }

    /// Every user who may connect can hold the locks that logins take.
    private var publicPrivileges: Finding? {
        guard facts.privileges.isOpenToPublic else { return nil }
        let user = facts.privileges.user
        return .note(
            "every user of the server may connect to the database, and could hold locks that stop logins",
            "as the owner: REVOKE ALL ON DATABASE … FROM PUBLIC, and GRANT CONNECT ON DATABASE … TO \(user)")
    }

    private var tablePrivileges: [Finding] {
        let found = facts.privileges
        guard let schema = found.schema else {
            return [
                .fault(
                    "\(found.user) may use no schema of its search_path",
                    "GRANT USAGE ON SCHEMA public TO \(found.user)")
            ]
        }
        guard found.deniedTables.isEmpty else {
            return [
                .fault(
                    "\(found.user) may not read and write: \(found.deniedTables.joined(separator: ", "))",
                    "as the owner: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(found.user)"
                )
            ]
        }
        let name = "\(found.user) may read and write the tables in the schema \(schema)"
        guard mayMigrate else {
            return [.ok("\(name), and may not migrate: run gatehouse migrate as their owner before an upgrade")]
        }
        return [.ok("\(name), and migrate")]
    }

    var mayMigrate: Bool { facts.privileges.canCreate && facts.privileges.ownsTables }

    var clock: Finding {
        let lead = facts.clockLead
        let size = lead.magnitude
        let message =
            "the clock of the server is \(size.inMilliseconds) ms \(lead < .zero ? "behind" : "ahead of") this machine's"
        let advice = "timedatectl set-ntp true, on both machines"
        if size > Self.clockLimit { return .fault(message, advice) }
        return size > Self.clockTolerance ? .note(message, advice) : .ok(message)
    }
}

extension Duration {
    var inMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
