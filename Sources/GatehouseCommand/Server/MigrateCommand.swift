import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore

struct MigrateCommand: Command {
    let words = ["migrate"]
    let summary = "Update the database to the schema of this version."
    let discussion = "Reads DATABASE_URL. `gatehouse serve` does the same when it starts."

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try ConfiguredDatabase.read()
        if case .file(let owner) = database { try owner.giveUpRoot() }
        do {
            report(try ProgressLine.showing { try database.migrate(progress: $0) })
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
    fileprivate func migrate(progress: Progress) throws -> [String] {
        switch self {
        case .file(let owner): try SQLiteFile(path: owner.path).migrate(progress: progress)
        case .server(let settings): try PostgreSQLMigrator(settings).migrate(progress: progress)
        }
    }
}
