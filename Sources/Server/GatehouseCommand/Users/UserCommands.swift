import CommandLineTool
import FileSystem
import Gatehouse
import JSON

struct UsersListCommand: Command {
    let words = ["users", "list"]
    let summary = "List users, the newest first."
    let discussion = """
        Reads DATABASE_URL. Deleted users are listed only with --status DELETED. If there are more users than --limit, the
        last line gives the command for the next page; in JSON, `next` is the value for --before.
        """
    let options = [
        Option(name: "--status", value: "STATUS", help: "only users with this status: ACTIVE, DISABLED or DELETED"),
        Option(name: "--role", value: "ROLE", help: "only users with this role: USER, ADMIN or SUPER_ADMIN"),
        Option(name: "--limit", value: "N", help: "how many users (50)"),
        Option(name: "--before", value: "ID", help: "only users created before this one"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        var query = UserQuery(
            status: try arguments.choice("--status", among: UserStatus.self),
            role: try arguments.choice("--role", among: Role.self), before: try before(arguments),
            limit: try arguments.limit(default: 50))
        let limit = query.limit
        // One more row than is printed shows whether there is a next page.
        query.limit += 1
        let found = try OperatorDatabase().perform { try $0.users(query) }
        let users = Array(found.prefix(limit))
        let next = found.count > limit ? users.last?.user.id.text : nil
        Report(
            json: ["users": .array(users.map(\.json)), "next": JSONValue(next)],
            text: Table(users.map(\.row), under: UserRecord.columns).text
        ).print(for: arguments)
        if let next, !arguments.has(Option.json.name) { printNextPage(after: next, arguments) }
        return .done
    }

    private func before(_ arguments: Arguments) throws(CommandError) -> UserID? {
        guard let text = arguments.value("--before") else { return nil }
        guard text.hasPrefix("user_") else { throw CommandError(.usage, "--before must be a user id") }
        return UserID(text)
    }

    /// On standard error, so that scripts can count the rows.
    private func printNextPage(after last: String, _ arguments: Arguments) {
        let given = ["--status", "--role", "--limit"].compactMap { option in
            arguments.value(option).map { "\(option) \($0)" }
        }
        let words = ["gatehouse", name] + given + ["--before", last]
        StandardStream.error.line("Next page: \(words.joined(separator: " "))")
    }
}

struct UsersShowCommand: Command {
    let words = ["users", "show"]
    let summary = "Show one user."
    let discussion = """
        Reads DATABASE_URL. USER is an id, a phone number in E.164 (+8613800138000), or an email address in upper or lower case.
        Exits 1 if there is no such user, or if several users have the address. A deleted user is found only by the id.
        """
    let parameters = ["USER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try OperatorDatabase().user(named: arguments.positional[0]).report.print(for: arguments)
        return .done
    }
}

extension UserRecord {
    static let columns = ["ID", "ROLE", "STATUS", "PROVIDERS", "CREATED", "LAST LOGIN", "EMAIL", "NICKNAME"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            user.id.text, user.role.rawValue, user.status.rawValue, user.isGuest ? "(guest)" : providers.listed,
            user.createdAt.description,
            lastLoginAt?.description, user.email, user.nickname,
        ]
    }

    /// Every field, one per line.
    var report: Report {
        let lines: [[String?]] = [
            ["id", user.id.text], ["email", user.email],
            ["email verified", user.emailVerified ? "yes" : "no"], ["phone", user.phone],
            ["nickname", user.nickname], ["avatar", user.avatarURL],
            ["role", user.role.rawValue], ["status", user.status.rawValue],
            ["onboarded", user.onboardingCompleted ? "yes" : "no"], ["providers", providers.listed],
            ["guest", user.isGuest ? "yes" : "no"],
            ["created", user.createdAt.description], ["updated", updatedAt.description],
            ["last login", lastLoginAt?.description], ["by", lastLoginProvider?.rawValue],
        ]
        return Report(json: json, text: Table(lines).text)
    }

    var json: JSONValue {
        [
            "id": .string(user.id.text), "email": JSONValue(user.email),
            "emailVerified": .bool(user.emailVerified), "phone": JSONValue(user.phone),
            "nickname": JSONValue(user.nickname), "avatarUrl": JSONValue(user.avatarURL),
            "role": .string(user.role.rawValue),
            "status": .string(user.status.rawValue), "onboardingCompleted": .bool(user.onboardingCompleted),
            "guest": .bool(user.isGuest),
            "providers": .array(providers.map { .string($0.rawValue) }),
            "createdAt": .string(user.createdAt.description), "updatedAt": .string(updatedAt.description),
            "lastLoginAt": JSONValue(lastLoginAt?.description),
            "lastLoginProvider": JSONValue(lastLoginProvider?.rawValue),
        ]
    }
}

extension [Provider] {
    /// Nil if there is none.
    var listed: String? {
        isEmpty ? nil : map(\.rawValue).joined(separator: ",")
    }
}
