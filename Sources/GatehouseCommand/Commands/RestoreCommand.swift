import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON

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
        """
    let arguments = ["FILE"]
    let options = [
        Option(name: "--end-sessions", value: nil, help: "end every session that is alive in FILE"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let (database, file) = (try DatabasePath.configured(), input.arguments[0])
        let restore = Restore(of: database, from: file, now: World.real.now())
        do {
            try restore.run(endingSessions: input.has("--end-sessions")).report(from: file).print(for: input)
            return .done
        } catch let refusal as RestoreRefusal {
            throw CommandFault(.no, "nothing was restored: \(refusal)")
        } catch let fault as DatabaseFault {
            throw CommandFault(.no, "nothing was restored: \(file): \(fault); take another backup")
        } catch {
            let rest = Restore.isCutOff(database) ? "; nobody opens the database now: run this again" : ""
            throw CommandFault(.failed, "nothing was restored: \(error)\(rest)")
        }
    }
}
