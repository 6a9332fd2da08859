import Gatehouse
import JSON
import POSIX

struct UsersListCommand: Command {
    let words = ["users", "list"]
    let summary = "List users, the newest first."
    let discussion = """
        Reads DATABASE_URL. Users who have been deleted are listed with --status DELETED alone. Where there are more than
        were asked for, the last line tells how to get them; in JSON, `next` is what --before takes.
        """
    let options = [
        Option(name: "--status", value: "STATUS", help: "only those who are ACTIVE, DISABLED or DELETED"),
        Option(name: "--role", value: "ROLE", help: "only those who are USER, ADMIN or SUPER_ADMIN"),
        Option(name: "--limit", value: "N", help: "how many (50)"),
        Option(name: "--before", value: "ID", help: "only those created before this one"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        var query = UserQuery(
            status: try input.choice("--status", among: UserStatus.self),
            role: try input.choice("--role", among: Role.self), before: try before(input),
            limit: try input.limit(default: 50))
        let limit = query.limit
        // One more than is shown tells whether there are more.
        query.limit += 1
        let found = try Office().ask { steward throws(StoreFailure) in try steward.users(query) }
        let users = Array(found.prefix(limit))
        let next = found.count > limit ? users.last?.user.id.text : nil
        Report(
            json: ["users": .array(users.map(\.json)), "next": JSONValue(next)],
            text: Table(users.map(\.row), under: UserRecord.columns).text
        ).print(for: input)
        if let next, !input.has(Option.json.name) { tellOfMore(after: next, input) }
        return .done
    }

    private func before(_ input: Input) throws(CommandFault) -> UserID? {
        guard let text = input.value("--before") else { return nil }
        guard text.hasPrefix("user_") else { throw CommandFault(.usage, "--before must be the id of a user") }
        return UserID(text)
    }

    /// Not among the rows, for whoever counts them.
    private func tellOfMore(after last: String, _ input: Input) {
        let given = ["--status", "--role", "--limit"].compactMap { name in input.value(name).map { "\(name) \($0)" } }
        let words = ["gatehouse", name] + given + ["--before", last]
        StandardStream.error.line("There are more: \(words.joined(separator: " "))")
    }
}
