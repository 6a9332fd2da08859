import GatehouseServer
import GatehouseStore
import POSIX

struct MigrateCommand: Command {
    let words = ["migrate"]
    let summary = "Bring the database to the schema of this program."
    let discussion = "Reads DATABASE_URL. `gatehouse serve` does the same when it starts."

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let owner = try DatabaseOwner.ofConfigured()
        try owner.takeOver()
        do {
            report(try SQLiteFile(path: owner.path).migrate())
            return .done
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    private func report(_ applied: [String]) {
        for name in applied { StandardStream.output.line("applied: \(name)") }
        if applied.isEmpty { StandardStream.output.line("up to date") }
    }
}
