import Gatehouse
import GatehouseServer
import GatehouseStore

/// The checks of a database on a PostgreSQL server.
struct PostgreSQLChecks {
    typealias Report = [(subject: String, finding: Finding)]

    /// Nil if no primary can be reached.
    let database: PostgreSQLServer?
    private let settings: PostgreSQLSettings
    private let failure: StoreFailure?
    /// Whether the user of the connection may migrate; nil if that is not known.
    private(set) var mayMigrate: Bool?

    init(_ settings: PostgreSQLSettings) {
        self.settings = settings
        do throws(StoreFailure) {
            (database, failure) = (try PostgreSQLServer(settings), nil)
        } catch {
            (database, failure) = (nil, error)
        }
    }

    /// - Parameter password: the file that holds the password for all users to read; nil if there is none.
    mutating func run(openPassword password: String?, timer: UnitStatus?) -> Report {
        let findings = openPassword(in: password).map { ("database", $0) }
        guard let database else {
            return findings + [("database", unreachable)] + [("schema", .note("not checked: see database"))]
        }
        do throws(StoreFailure) {
            try database.requireTransactions()
            let facts = PostgreSQLEvaluation(facts: try database.facts(), settings: settings)
            mayMigrate = facts.mayMigrate
            return findings + facts.report + facts.backups(timer: timer).map { ("backups", $0) }
        } catch {
            return findings + [("database", evaluate(error))]
        }
    }

    private func openPassword(in file: String?) -> [Finding] {
        guard let file else { return [] }
        return [
            .fault(
                "all users of this machine can read the password of the database: it is in \(file)",
                "move DATABASE_URL to /etc/gatehouse/credentials/database_url, and change the password: it may be known"
            )
        ]
    }

    private var unreachable: Finding { evaluate(failure ?? StoreFailure("no primary answers", cause: .unreachable)) }

    func evaluate(_ failure: StoreFailure) -> Finding {
        switch failure.cause {
        case .denied:
            .fault(
                failure.description,
                "check the user and the password (DATABASE_URL, the password file), and pg_hba.conf on the server")
        case .unreachable, .busy:
            .fault("no primary can be reached: \(failure)", advice(on: failure.description))
        default:
            .fault(
                failure.description,
                "a pooler must have pool_mode transaction or session; otherwise see the log of the server")
        }
    }

    /// Matches texts of libpq and of the server: most of these failures have no code.
    private func advice(on failure: String) -> String {
        if failure.contains("53300") {
            return "raise max_connections (or the limit of the database or the user) there, or lower "
                + "DATABASE_CONNECTIONS; pg_stat_activity shows who has them"
        }
        if failure.contains("no password supplied") {
            return "the password file needs a line for this host, port, database and user, belongs to the user of the "
                + "service, and has the mode 0600"
        }
        if failure.contains("does not support SSL") {
            return "turn TLS on there (ssl = on, ssl_cert_file, ssl_key_file): a server on another machine needs it"
        }
        if failure.contains("certificate has expired") {
            return "renew the certificate of that server (ssl_cert_file), and reload it: SELECT pg_reload_conf()"
        }
        if failure.contains("certificate") {
            return "sslrootcert of DATABASE_URL must name the authority of that server's certificate, which must be "
                + "for the host"
        }
        if failure.contains("read-only"), let primary = PostgreSQLServer.readOnlyPrimary(settings) {
            return "\(primary) is a primary, but read-only: set default_transaction_read_only to off for the server, "
                + "the database and the user"
        }
        return "check that one server is the primary (patronictl list; pg_isready), and the way from this machine to it"
    }
}
