import GatehouseServer
import GatehouseStore
import POSIX

struct MigrateCommand: Command {
    let words = ["migrate"]
    let summary = "Bring the database to the schema of this program."
    let discussion = "Reads DATABASE_URL. `gatehouse serve` does the same when it starts."

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let address = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.database(from: .current())
        }
        do {
            report(try migrate(address))
            return .done
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    private func migrate(_ address: DatabaseAddress) throws -> [String] {
        switch address {
        case .sqlite(let path): try SQLiteFile(path: path).migrate()
        }
    }

    private func report(_ applied: [String]) {
        for name in applied { StandardStream.output.line("applied: \(name)") }
        if applied.isEmpty { StandardStream.output.line("up to date") }
    }
}
