import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore

struct MigrateCommand: Command {
    let words = ["migrate"]
    let summary = "Update the database to the schema of this version."
    let discussion = "Reads DATABASE_URL. `gatehouse serve` does the same when it starts."

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let owner = try DatabaseOwner.ofConfigured()
        try owner.giveUpRoot()
        do {
            report(try ProgressLine.showing { try SQLiteFile(path: owner.path).migrate(progress: $0) })
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
