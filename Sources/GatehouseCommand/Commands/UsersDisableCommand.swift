import Gatehouse

struct UsersDisableCommand: Command {
    let words = ["users", "disable"]
    let summary = "Keep a user out, and end their sessions."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. A running server refuses their tokens from the next request
        on, with 403 user_disabled. Exits 0 also where the user was disabled already.
        """
    let arguments = ["USER"]
    let options = [Option.json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let office = try Office()
        let user = try office.user(called: input.arguments[0]).user.id
        let change = UserChange(to: .disabled) { steward, user throws(StoreFailure) in try steward.disable(user) }
        try change.carryOut(on: user, in: office).print(for: input)
        return .done
    }
}
