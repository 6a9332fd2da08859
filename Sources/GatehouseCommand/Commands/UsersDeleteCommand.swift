import Gatehouse
import POSIX

struct UsersDeleteCommand: Command {
    let words = ["users", "delete"]
    let summary = "Delete a user, and everything personal of theirs."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. This cannot be undone: on a terminal the command asks for
        confirmation, and a script has to give --yes. The same person signing in later is a new user. Exits 0 also where
        the user was deleted already.
        """
    let arguments = ["USER"]
    let options = [Option(name: "--yes", value: nil, help: "delete without confirmation"), .json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        // Without a terminal, the end of the input or a stray line would otherwise be taken for the confirmation.
        guard Terminal.isAttached || input.has("--yes") else {
            throw CommandFault(.usage, "a user is deleted for good: without a terminal, confirm it with --yes")
        }
        let office = try Office()
        let record = try office.user(called: input.arguments[0])
        if !input.has("--yes"), record.user.status != .deleted { try confirm(record) }
        let change = UserChange(to: .deleted) { steward, user throws(StoreFailure) in try steward.delete(user) }
        try change.carryOut(on: record.user.id, in: office).print(for: input)
        return .done
    }

    private func confirm(_ record: UserRecord) throws(CommandFault) {
        StandardStream.error.line(record.report.text)
        StandardStream.error.line("Delete this user for good? Type yes to do it.")
        guard readLine()?.lowercased() == "yes" else { throw CommandFault(.no, "nothing was deleted") }
    }
}
