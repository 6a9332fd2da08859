import Gatehouse

struct UsersRoleCommand: Command {
    let words = ["users", "role"]
    let summary = "Give a user another role."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address, ROLE one of USER, ADMIN and SUPER_ADMIN. A running server
        refuses access tokens with the role before from the next request on; the sessions go on, and a refresh brings a
        token with the new one. Exits 0 also where it is their role already.
        """
    let arguments = ["USER", "ROLE"]
    let options = [Option.json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let role = try Input.choice(input.arguments[1], for: "ROLE", among: Role.self)
        let office = try Office()
        let user = try office.user(called: input.arguments[0]).user.id
        try UserChange(to: role).carryOut(on: user, in: office).print(for: input)
        return .done
    }
}
