import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX

struct BackupCommand: Command {
    let words = ["backup"]
    let summary = "Copy the database, beside a server that may be running, and verify the copy."
    let discussion = """
        Reads DATABASE_URL. FILE gets its name when all of it has been read from the disk and found good; it is one file, for
        this user alone. With --keep, FILE is a folder: the backup is named by its time there, and the oldest ones of
        that kind beyond N are removed. Nobody waits for a backup, and whatever was committed before it began is in it.

        Exits 1 where FILE is there already, 3 where no good copy could be made; there is no FILE then. What is sealed
        with DATA_KEY stays sealed: keep that key somewhere else than the backups.
        """
    let arguments = ["FILE"]
    let options = [
        Option(name: "--keep", value: "N", help: "FILE is a folder: keep the latest N in it"),
        Option(name: "--force", value: nil, help: "replace FILE"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let kept = try number(input)
        let database = try DatabasePath.configured()
        let path = input.arguments[0]
        let start = World.real.now()
        do {
            if let kept {
                let (backup, removed) = try BackupFolder(path: path).add(database, keeping: kept, now: World.real.now)
                note(start, in: database)
                backup.report(removed: removed).print(for: input)
                return .done
            }
            let backup = try Backup.make(
                of: database, at: path, replacing: input.has("--force"), now: World.real.now())
            guard let backup else {
                throw CommandFault(.no, "\(path) is there already, and was left as it is: --force replaces it")
            }
            note(start, in: database)
            backup.report(removed: []).print(for: input)
            return .done
        } catch let fault as CommandFault {
            throw fault
        } catch {
            throw CommandFault(.failed, "no backup was made at \(path): \(error)")
        }
    }

    /// For whoever watches that backups are made. The backup is good without it.
    private func note(_ moment: Timestamp, in database: String) {
        do {
            let mark = Document(content: [], updatedAt: moment)
            try SQLiteStore(besideServerAt: database).keep(mark, as: DocumentName.lastBackup)
        } catch {
            StandardStream.error.line("The backup is good; that it was made could not be noted: \(error)")
        }
    }

    private func number(_ input: Input) throws(CommandFault) -> Int? {
        guard let text = input.value("--keep") else { return nil }
        guard let number = Int(text), (1...100_000).contains(number), !input.has("--force") else {
            throw CommandFault(.usage, "--keep must be a number from 1 to 100000, and goes without --force")
        }
        return number
    }
}
