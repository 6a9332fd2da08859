import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import Processes

/// The database for the commands of operators: opened as its owner, while a server may be running.
struct OperatorDatabase {
    private let administration: Administration

    /// Opens the database that `DATABASE_URL` names. It must exist, and is not migrated.
    init() throws(CommandError) {
        let place = try ConfiguredDatabase.read()
        do {
            administration = Administration(
                store: try place.store(), now: Platform.system.now, operatorName: place.operatorName)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// Runs a use case. A failure of the store exits 3, never 1.
    func perform<Answer>(_ task: (Administration) throws -> Answer) throws(CommandError) -> Answer {
        do {
            return try task(administration)
        } catch Refusal.storageUnavailable(let failure) {
            throw CommandError(.failed, failure.description)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// The one user with this id or address.
    func user(named name: String) throws(CommandError) -> UserRecord {
        let found = try perform { try $0.users(called: name) }
        guard let user = found.first else {
            throw CommandError(.no, "no user has the id or address \(name.printable)")
        }
        guard found.count == 1, user.isProven else { throw CommandError(.no, Self.ambiguity(found, named: name)) }
        return user.record
    }

    /// Asks the operator for the id: an address that no provider has verified may belong to another person.
    private static func ambiguity(_ users: [FoundUser], named name: String) -> String {
        let rows = users.map { user in
            let record = user.record
            let isVerified = user.isProven ? "yes" : "no"
            return [record.user.id.text, isVerified, record.providers.listed, record.user.createdAt.description]
        }
        let table = Table(rows, under: ["ID", "VERIFIED", "PROVIDERS", "CREATED"])
        let reason =
            users.count == 1
            ? "no provider has verified the address \(name.printable) of this user"
            : "\(users.count) users have the address \(name.printable)"
        return "\(reason); use the id of the user:\n\(table.text)"
    }
}

/// The caller of a command in the audit trail: `root (0), login anna (1000), sudo by anna`.
///
/// The user id and the login come from the kernel. `SUDO_USER` comes from the environment, which
/// root can set to anything.
struct OperatorName {
    private static let longestName = 64

    let text: String

    init(caller: Account, login: Account?, sudoUser: String?) {
        var parts = [Self.describe(caller)]
        if let login, login.id != caller.id { parts.append("login " + Self.describe(login)) }
        if let sudoUser, Self.isName(sudoUser) { parts.append("sudo by " + sudoUser) }
        text = parts.joined(separator: ", ")
    }

    init(_ accounts: UserDatabase) {
        self.init(caller: accounts.caller, login: accounts.login, sudoUser: Self.sudoUser)
    }

    static var isUnderSudo: Bool { sudoUser != nil }

    private static var sudoUser: String? { ProcessEnvironment.variables()["SUDO_USER"] }

    private static func describe(_ account: Account) -> String {
        isName(account.name) ? "\(account.name) (\(account.id))" : "\(account.id)"
    }

    /// The form of user names, including those of directory services. Any other text is left out of the audit trail.
    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && text.consistsOfAlphanumerics(and: "._-@+\\$")
    }
}

/// The database that `DATABASE_URL` names, for commands.
enum ConfiguredDatabase {
    /// A file, which a command opens as its owner.
    case file(DatabaseOwner)
    /// A server. It authenticates the command by a password or a certificate, also when root runs the command.
    case server(PostgreSQLSettings)

    static func read() throws(CommandError) -> ConfiguredDatabase {
        let address = try readSettings { () throws(SettingFaults) in try Configuration.database(from: .current()) }
        switch address {
        case .sqlite(let path): return .file(try DatabaseOwner(of: path))
        case .postgresql(let url): return .server(PostgreSQLSettings(url: url, connections: 2))
        }
    }

    /// The caller of the command, for the audit trail.
    var operatorName: String {
        switch self {
        case .file(let owner): owner.operatorName
        case .server: OperatorName(UserDatabase.ofThisMachine()).text
        }
    }

    /// For reading only. A file is opened as the current user.
    func examined() throws -> any ExaminedDatabase {
        switch self {
        case .file(let owner): return SQLiteFile(path: owner.path)
        case .server(let settings): return try PostgreSQLServer(settings)
        }
    }

    /// Opens the store beside the servers that use it. Gives up root if the database is another user's file.
    func store() throws -> any ServerStore {
        switch self {
        case .file(let owner):
            try owner.giveUpRoot()
            return try SQLiteStore(besideServerAt: owner.path)
        case .server(let settings): return try PostgreSQLStore(besideServersOf: settings)
        }
    }
}
