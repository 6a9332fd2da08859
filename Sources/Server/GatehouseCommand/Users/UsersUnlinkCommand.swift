import CommandLineTool
import Gatehouse
import JSON

struct UsersUnlinkCommand: Command {
    let words = ["users", "unlink"]
    let summary = "Remove one way to sign in from a user."
    let discussion = """
        Reads DATABASE_URL. USER is an id, a phone number in E.164 or an email address; PROVIDER is one of those that `users
        show` lists, such as phone. The sessions that the account opened end. For a phone number that has another owner now:
        that person can then sign in with it as a new user. Exits 1 if the user has no other way to sign in. Also exits 0 if
        the user has no such account.
        """
    let parameters = ["USER", "PROVIDER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        guard let provider = Provider(anyCase: arguments.positional[1]) else {
            throw CommandError(.usage, "PROVIDER must be the name of a provider, such as phone")
        }
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let decision = try database.perform { administration in try administration.unlink(provider, from: user) }
        try report(decision, provider, user).print(for: arguments)
        return .done
    }

    private func report(
        _ decision: UnlinkDecision, _ provider: Provider, _ user: UserID
    ) throws(CommandError) -> Report {
        switch decision {
        case .last:
            throw CommandError(
                .no, "\(provider.rawValue) is the only way in which \(user.text) can sign in: see users delete")
        case .unlink:
            Report(json: ["changed": true], text: "\(user.text) cannot sign in with \(provider.rawValue) any more")
        case .nothing: Report(json: ["changed": false], text: "\(user.text) has no account of \(provider.rawValue)")
        }
    }
}
