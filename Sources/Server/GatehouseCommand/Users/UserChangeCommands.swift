import CommandLineTool
import Gatehouse
import JSON
import POSIX

/// A change of a user's status or role, with its report. The commands below differ only in the change.
struct UserChange {
    /// The new status or role.
    private let goal: String
    private let current: @Sendable (User) -> String
    /// Returns false if the user already has the status or role.
    private let apply: (Administration, UserID) throws -> Bool

    init(to status: UserStatus, _ apply: @escaping (Administration, UserID) throws -> Bool) {
        goal = status.rawValue
        current = { $0.status.rawValue }
        self.apply = apply
    }

    init(to role: Role) {
        goal = role.rawValue
        // A deleted user has no role.
        current = { $0.status == .deleted ? $0.status.rawValue : $0.role.rawValue }
        apply = { administration, user in try administration.setRole(role, of: user) }
    }

    /// Makes the change. When this returns, a running server applies it to the next request.
    func perform(on user: UserID, in database: OperatorDatabase) throws(CommandError) -> Report {
        let changed = try database.perform { try apply($0, user) }
        let record = try database.user(named: user.text)
        let state = current(record.user)
        guard changed || state == goal else { throw CommandError(.no, "\(user.text) is \(state)") }
        let text =
            state == goal
            ? "\(user.text) is \(changed ? "now" : "already") \(goal)"
            : "\(user.text) stays \(state); the person can sign in again as a new user"
        return Report(json: ["changed": .bool(changed), "user": record.json], text: text)
    }
}

struct UsersDisableCommand: Command {
    let words = ["users", "disable"]
    let summary = "Disable a user, and end their sessions."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. A running server refuses the user's tokens from the next request
        on, with 403 user_disabled. Also exits 0 if the user was already disabled.
        """
    let parameters = ["USER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let change = UserChange(to: .disabled) { try $0.disable($1) }
        try change.perform(on: user, in: database).print(for: arguments)
        return .done
    }
}

struct UsersEnableCommand: Command {
    let words = ["users", "enable"]
    let summary = "Enable a disabled user."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. The user has to sign in, since disabling ended the sessions.
        Also exits 0 if the user was already active.
        """
    let parameters = ["USER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let change = UserChange(to: .active) { try $0.enable($1) }
        try change.perform(on: user, in: database).print(for: arguments)
        return .done
    }
}

struct UsersRoleCommand: Command {
    let words = ["users", "role"]
    let summary = "Change the role of a user."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address, ROLE one of USER, ADMIN and SUPER_ADMIN. A running server
        refuses access tokens with the previous role from the next request on; the sessions continue, and a refresh returns
        a token with the new role. Also exits 0 if the user already has the role, and 1 if the user is a guest.
        """
    let parameters = ["USER", "ROLE"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let role = try Arguments.choice(arguments.positional[1], for: "ROLE", among: Role.self)
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user
        if user.isGuest { throw CommandError(.no, "\(user.id.text) is a guest, and guests are no administrators") }
        try UserChange(to: role).perform(on: user.id, in: database).print(for: arguments)
        return .done
    }
}

struct UsersDeleteCommand: Command {
    let words = ["users", "delete"]
    let summary = "Delete a user and their personal data."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. This cannot be undone: on a terminal the command asks for
        confirmation, a script has to pass --yes. If the same person signs in later, a new user is created. Also exits
        0 if the user was already deleted.
        """
    let parameters = ["USER"]
    let options = [Option(name: "--yes", help: "delete without confirmation"), .json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try arguments.requireConfirmation("deleting a user cannot be undone: without a terminal, confirm it with --yes")
        let database = try OperatorDatabase()
        let record = try database.user(named: arguments.positional[0])
        if record.user.status != .deleted {
            try arguments.confirm(
                record.report.text + "\nDelete this user permanently? Type yes to delete.",
                otherwise: "nothing was deleted")
        }
        let change = UserChange(to: .deleted) { try $0.delete($1) }
        try change.perform(on: record.user.id, in: database).print(for: arguments)
        return .done
    }
}

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
        let decision = try database.perform { try $0.unlink(provider, from: user) }
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
        case .nothing, .callerEnded:
            Report(json: ["changed": false], text: "\(user.text) has no account of \(provider.rawValue)")
        }
    }
}
