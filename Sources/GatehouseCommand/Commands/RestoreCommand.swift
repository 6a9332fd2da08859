import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX

struct RestoreCommand: Command {
    let words = ["restore"]
    let summary = "Put a backup in the place of the database, and keep the database."
    let discussion = """
        Reads DATABASE_URL. No server may run on the database; one that starts meanwhile waits. FILE is verified first, and
        brought to the schema of this program. The database before it stays beside it, under a name that is printed.

        Everything after the backup is undone. Who refreshed since has to sign in; a session that ended since is alive
        again, and so is a user who was disabled or deleted since. Where the old database can still be read, it is said how
        many those are. --end-sessions ends every session instead: everybody signs in.

        Exits 1 where FILE is damaged, not ours or newer than this program, or where the database is open; 3 where
        something failed. The database is as it was then, unless the message says to run this again.

        FILE may be `-`: standard input. Root works as the owner of the database, but opens a FILE that only root can have
        put there.
        """
    let arguments = ["FILE"]
    let options = [
        Option(name: "--end-sessions", value: nil, help: "end every session that is alive in FILE"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        if input.arguments[0] == "-", Terminal.isAttached {
            throw CommandFault(.usage, "standard input (-) is a terminal: gatehouse restore - <FILE")
        }
        let (owner, file) = (try DatabaseOwner.ofConfigured(), input.arguments[0])
        do {
            let source = try Self.open(file, before: owner)
            let restore = Restore(
                of: owner.path, from: source, now: World.real.now(), operatorName: owner.operatorName)
            try restore.run(endingSessions: input.has("--end-sessions")).report(from: file).print(for: input)
            return .done
        } catch let fault as CommandFault {
            throw fault
        } catch let refusal as RestoreRefusal {
            throw CommandFault(.no, "nothing was restored: \(refusal)")
        } catch let fault as DatabaseFault {
            throw CommandFault(.no, "nothing was restored: \(file): \(fault); take another backup")
        } catch {
            let rest = Restore.isCutOff(owner.path) ? "; no command opens the database: run this again" : ""
            throw CommandFault(.failed, "nothing was restored: \(error)\(rest)")
        }
    }

    /// Opens the backup, and works as the owner of the database from then on. What only root can have put where it is, root
    /// opens. The owner opens all else, so that no user can have root read a file of root's for them.
    private static func open(_ file: String, before owner: DatabaseOwner) throws -> RestoreSource {
        guard file != "-" else {
            try owner.takeOver()
            return try RestoreSource(readingStandardInput: ())
        }
        guard owner.replacesRoot else {
            try owner.takeOver()
            return try RestoreSource(openingFile: file)
        }
        if (try? PathOwner.ofPlace(at: file)) == .root {
            let source = try RestoreSource(openingFile: file)
            try owner.takeOver()
            return source
        }
        let path = owner.reachable(file)
        try owner.takeOver()
        do { return try RestoreSource(openingFile: path) } catch let error as POSIXError where error.isDenied {
            let name = owner.account.name
            throw CommandFault(
                .failed,
                "nothing was restored: \(owner.reason), and \(name) may not read \(file.printable): "
                    + "gatehouse restore - <\(path.shellQuoted)".typedAsRoot)
        }
    }
}
