import Gatehouse
import JSON

struct UsersSessionsCommand: Command {
    let words = ["users", "sessions"]
    let summary = "List where a user is signed in, the session used last first."
    let discussion = "Reads DATABASE_URL. USER is an id or an email address."
    let arguments = ["USER"]
    let options = [Option.json]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let office = try Office()
        let user = try office.user(called: input.arguments[0]).user.id
        let sessions = try office.ask { steward throws(StoreFailure) in try steward.sessions(of: user) }
        Report(
            json: ["sessions": .array(sessions.map(\.json))],
            text: Table(sessions.map(\.row), under: Session.columns).text
        ).print(for: input)
        return .done
    }
}
