import Gatehouse

struct UsersShowCommand: Command {
    let words = ["users", "show"]
    let summary = "Show one user."
    let discussion = """
        Reads DATABASE_URL. USER is an id, or an email address in whatever case. Exits 1 where there is nobody, or where
        several have the address; a user who has been deleted is found by the id alone.
        """
    let arguments = ["USER"]
    let options = [Option.json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        try Office().user(called: input.arguments[0]).report.print(for: input)
        return .done
    }
}
