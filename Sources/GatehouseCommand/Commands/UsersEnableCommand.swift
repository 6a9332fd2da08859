import Gatehouse

struct UsersEnableCommand: Command {
    let words = ["users", "enable"]
    let summary = "Let a user in again who had been disabled."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. They have to sign in: their sessions have ended. Exits 0 also
        where the user was active already.
        """
    let arguments = ["USER"]
    let options = [Option.json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let office = try Office()
        let user = try office.user(called: input.arguments[0]).user.id
        let change = UserChange(to: .active) { steward, user throws(StoreFailure) in try steward.enable(user) }
        try change.carryOut(on: user, in: office).print(for: input)
        return .done
    }
}
