import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JSON

struct UsersMergeCommand: Command {
    let words = ["users", "merge"]
    let summary = "Merge two users of one person: the accounts of the first one move to the second one."
    let discussion = """
        Reads DATABASE_URL, and DATA_KEY for the tokens of Apple. USER and INTO are ids or email addresses. INTO gets the
        accounts of USER, with the phone number, and address, nickname and picture if INTO has none. The sessions of USER end,
        and USER is deleted: services are told by the event user.deleted with joinedUserId. Exits 1 with the conflicts if both
        have an account at one provider, or if one of them is not active or has another role than USER. Within a day,
        gatehouse users unmerge USER undoes it.
        """
    let parameters = ["USER", "INTO"]
    let options = [
        Option(name: "--dry-run", help: "only show what would move, and what conflicts"),
        Option(name: "--reason", value: "TEXT", help: "for the audit trail"),
        Option(name: "--yes", help: "merge without confirmation"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let isDry = arguments.has("--dry-run")
        if !isDry { try arguments.requireConfirmation("without a terminal, confirm the merge with --yes") }
        let vault = try MergeVault.read()
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let other = try database.user(named: arguments.positional[1]).user.id
        guard let plan = try database.perform({ try $0.mergePlan(of: user, into: other) }) else {
            throw CommandError(.no, "one of the users does not exist")
        }
        if isDry || !plan.conflicts.isEmpty {
            plan.report(isDone: false).print(for: arguments)
            return plan.conflicts.isEmpty ? .done : .no
        }
        try arguments.confirm(
            plan.report(isDone: false).text + "\nMerge these users? Type yes to merge.", otherwise: "nothing was merged"
        )
        let (outcome, done) = try database.perform { administration in
            try administration.merge(user, into: other, reason: arguments.value("--reason"), vault: vault)
        }
        try outcome.require()
        (done ?? plan).report(isDone: true).print(for: arguments)
        return .done
    }
}

struct UsersUnmergeCommand: Command {
    let words = ["users", "unmerge"]
    let summary = "Undo the merge of a user, within a day."
    let discussion = """
        Reads DATABASE_URL, and DATA_KEY for the tokens of Apple. USER is the id of the user who was merged into another one.
        The accounts that the other one still has move back, and USER is active again, without sessions. Exits 1 if there was
        no merge within a day, or if one of the two would have no way to sign in.
        """
    let parameters = ["USER"]
    let options = [Option(name: "--reason", value: "TEXT", help: "for the audit trail"), .json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let vault = try MergeVault.read()
        let user = UserID(arguments.positional[0])
        let (outcome, merge) = try OperatorDatabase().perform { administration in
            try administration.unmerge(user, reason: arguments.value("--reason"), vault: vault)
        }
        try outcome.require()
        guard let merge else { throw CommandError(.no, "there is no merge to undo") }
        let accounts = merge.accounts.joined(separator: ", ")
        Report(
            json: [
                "user": .string(user.text), "other": .string(merge.other.text),
                "accounts": .array(merge.accounts.map { .string($0) }),
            ],
            text: "\(user.text) is active again, with \(accounts) of \(merge.other.text)"
        ).print(for: arguments)
        return .done
    }
}

/// The key that encrypts Apple's tokens for their owners; nil for none.
private enum MergeVault {
    static func read() throws(CommandError) -> DataVault? {
        try readSettings { () throws(SettingFaults) in try Configuration.vault(from: .current()) }
    }
}

extension SupportOutcome {
    fileprivate func require() throws(CommandError) {
        switch self {
        case .done: return
        case .unknownUser: throw CommandError(.no, "there is no such user")
        case .refused(.mergeConflict(let conflict)):
            throw CommandError(.no, "the users conflict by now (\(conflict.name)): nothing was merged")
        case .refused(.nothingLeftToMerge):
            throw CommandError(.no, "one of the two users would have no way to sign in: nothing was changed")
        case .refused: throw CommandError(.no, "there is no merge of the last day to undo: nothing was changed")
        }
    }
}

extension MergePlan {
    fileprivate func report(isDone: Bool) -> Report {
        let accounts = user.accounts.map(\.provider.rawValue)
        let problems = conflicts.map(\.sentence)
        let verb = isDone ? "were merged" : conflicts.isEmpty ? "can be merged" : "cannot be merged"
        let lines: [[String?]] = [
            ["goes away", user.user.id.text], ["stays", other.user.id.text],
            ["accounts", accounts.isEmpty ? nil : accounts.joined(separator: ",")],
            ["phone", user.user.phone], ["email", result.email == other.user.email ? nil : result.email],
            ["nickname", result.nickname == other.user.nickname ? nil : result.nickname],
            ["sessions that end", "\(sessions)"],
        ]
        return Report(
            json: [
                "merged": .bool(isDone), "user": .string(user.user.id.text), "into": .string(other.user.id.text),
                "accounts": .array(accounts.map { .string($0) }), "sessions": .integer(Int64(sessions)),
                "conflicts": .array(problems.map { .string($0) }),
            ],
            text: (["The users \(verb)."] + problems).joined(separator: "\n") + "\n" + Table(lines).text)
    }
}

extension MergeConflict {
    fileprivate var sentence: String {
        switch self {
        case .account(let provider):
            "Both have an account at \(provider.rawValue): gatehouse users unlink USER \(provider.lowercaseName)"
        case .status: "One of them is not active, the first one has no account, or both are the same."
        case .role: "One of them has another role than USER: gatehouse users role USER USER"
        case .guest: "The user who would stay is a guest: let the guest link an account, or delete the guest."
        }
    }
}
