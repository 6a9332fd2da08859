import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore
import JSON

struct HealthCommand: Command {
    let words = ["health"]
    let summary = "Ask the running server whether it is ready."
    let discussion = """
        Reads LISTEN only, and sends the server the request that nginx sends for /readyz. Exits 0 when the server is ready,
        1 when it is not or does not answer within 3 seconds.
        """
    let options = [Option(name: "--json", help: "print the server's own document")]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let address = try readSettings { () throws(SettingFaults) in
            try Configuration.listen(from: .current())
        }
        do throws(ServerQuery.Fault) {
            let document = try ServerQuery(at: address).readiness(within: ServerQuery.Timeout.health)
            return arguments.has("--json") ? printRaw(document) : report(document)
        } catch {
            arguments.has("--json") ? printRaw(error) : StandardStream.output.line("FAULT  \(error)")
            return .no
        }
    }

    private func report(_ document: [UInt8]) -> ExitStatus {
        let report = ServerReport(document: document)
        for part in report.parts {
            StandardStream.output.line((part.isReady ? "ok     " : "FAULT  ") + part.detail.printable)
        }
        return report.isReady ? .done : .no
    }

    private func printRaw(_ document: [UInt8]) -> ExitStatus {
        StandardStream.output.line(String(decoding: document, as: UTF8.self))
        return (try? JSONValue(parsing: document))?.object?["ready"] == true ? .done : .no
    }

    /// Prints the same document for a server that does not answer.
    private func printRaw(_ fault: ServerQuery.Fault) {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("ready", false)
            json.member("detail", fault.description)
            json.member("parts", array: { _ in })
        }
        StandardStream.output.line(String(decoding: json.finish(), as: UTF8.self))
    }
}

/// The readiness document of a running server.
struct ServerReport {
    struct Part {
        let isReady: Bool
        /// The state of the part, and what to do about a fault.
        let detail: String
    }

    let isReady: Bool
    let parts: [Part]

    init(document: [UInt8]) {
        let object = (try? JSONValue(parsing: document))?.object ?? [:]
        isReady = object["ready"] == true
        let found = (object["parts"]?.array ?? []).compactMap(\.object).map { part in
            Part(isReady: part["ready"] == true, detail: part["detail"]?.string ?? "")
        }
        // A server that waits for its database has no parts yet, and answers like any other request.
        let reason = object["detail"]?.string.map { [Part(isReady: false, detail: $0)] } ?? []
        parts = found.isEmpty && !isReady ? reason : found
    }
}

extension ServerQuery {
    /// How long commands wait for an answer from the running server.
    enum Timeout {
        /// `gatehouse health` ends within three seconds. Half a second is left for starting its process.
        static let health = Duration.milliseconds(2500)
        /// Metrics are answered without the store.
        static let metrics = Duration.seconds(3)
        /// Longer than the server needs to detect that its store hangs.
        static let readiness = Duration.seconds(15)
    }
}

struct MigrateCommand: Command {
    let words = ["migrate"]
    let summary = "Update the database to the schema of this version."
    let discussion = """
        Reads DATABASE_URL. `gatehouse serve` does the same when it starts.

        A database file that is missing is created only if there never was one: no file that DATABASE_MARK names (or
        `database_mark` beside the configuration file), and none that a server leaves beside its database. Otherwise the
        command fails, as `gatehouse serve` does, because the disk may not be mounted. --create makes the empty database: every user is a new user then.
        """
    let options = [
        Option(name: "--create", help: "create the database file although there was one; an existing one is kept")
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try ConfiguredDatabase.read()
        let mark = try readSettings { () throws(SettingFaults) in
            try Configuration.databaseMark(from: .current())?.path
        }
        let isCreating = arguments.has("--create")
        if isCreating, case .server = database {
            throw CommandError(.usage, "--create is for a database in a file: on a PostgreSQL server, use createdb")
        }
        if case .file(let owner) = database { try owner.giveUpRoot() }
        do {
            report(
                try ProgressLine.showing { try database.migrate(mark: mark, creating: isCreating, progress: $0) })
            return .done
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    private func report(_ applied: [String]) {
        for name in applied { StandardStream.output.line("applied: \(name)") }
        if applied.isEmpty { StandardStream.output.line("up to date") }
    }
}

extension ConfiguredDatabase {
    fileprivate func migrate(mark: String?, creating: Bool, progress: Progress) throws -> [String] {
        switch self {
        case .file(let owner):
            try SQLiteFile(path: owner.path).migrate(mark: mark, creating: creating, progress: progress)
        case .server(let settings): try PostgreSQLMigrator(settings).migrate(progress: progress)
        }
    }
}
