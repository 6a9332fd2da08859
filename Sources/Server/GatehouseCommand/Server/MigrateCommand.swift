import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore

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
