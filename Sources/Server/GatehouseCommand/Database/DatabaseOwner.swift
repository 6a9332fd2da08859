import CommandLineTool
import FileSystem
import GatehouseServer
import Glibc
import POSIX
import Processes
import Sockets

/// The user as whom a command opens the database. For a command that root runs, this is the user who controls the path
/// of the database: that user could replace files on it, so root must not open them.
struct DatabaseOwner {
    /// The path of the database.
    let path: String
    /// The caller of the command, for the audit trail.
    let operatorName: String
    let account: Account
    let group: UInt32
    let nameOfGroup: String
    /// The folder or file that made this user the owner, as `PathOwner` found it.
    private let place: String
    /// The user who owns the database file, if neither this owner nor root does.
    private let otherUser: Account?
    /// Whether root runs the command, and switches to another user.
    let replacesRoot: Bool

    /// The owner of the database that `DATABASE_URL` names. Does not give up root yet.
    ///
    /// - Parameter advice: what to do instead for a database on a server.
    static func ofConfigured(otherwise advice: String) throws(CommandError) -> DatabaseOwner {
        let database = try readSettings { () throws(SettingFaults) in
            try Configuration.database(from: .current())
        }
        guard let path = database.path else {
            throw CommandError(
                .usage, "this command is for a database in a file, and this one is on a PostgreSQL server: \(advice)")
        }
        return try DatabaseOwner(of: path)
    }

    /// - Parameter isDevelopment: accepts a path that other users can change, with a warning: a checkout in a container
    ///   is often in such a folder.
    init(of path: String, isDevelopment: Bool = false) throws(CommandError) {
        let accounts = UserDatabase.ofThisMachine()
        operatorName = OperatorName(accounts).text
        let owner: PathOwner
        do {
            owner = Privileges.isRoot ? try PathOwner.ofFile(at: path) : .root
        } catch .system(let error) where error.isMissing {
            throw CommandError(.failed, "the database \(path.printable) does not exist, nor does its folder")
        } catch .isOpen where isDevelopment {
            StandardStream.error.line("gatehouse: other users can change the path of the database \(path.printable)")
            owner = .root
        } catch {
            throw CommandError(.failed, "root cannot use the database \(path.printable): \(error)")
        }
        replacesRoot = !owner.isRoot
        self.path = replacesRoot ? Self.reachable(path) : path
        place = owner.place
        otherUser = owner.isRoot ? nil : Self.otherUser(of: path, than: owner.user).map(accounts.account(of:))
        account = replacesRoot ? accounts.account(of: owner.user) : accounts.current
        // A user without an entry gets the group of the folder, but never root's group.
        let group = accounts.primaryGroup(of: account.id) ?? (owner.group == 0 ? account.id : owner.group)
        self.group = group
        nameOfGroup = accounts.nameOfGroup(group)
    }

    /// A path from the command line in a form that the owner can open: absolute, since the owner may have no access to
    /// the current folder of root.
    func reachable(_ path: String) -> String { replacesRoot ? Self.reachable(path) : path }

    private static func reachable(_ path: String) -> String {
        path.hasPrefix("/") ? path : File.withoutLinks(path)
    }

    /// Only for messages: a user who controls the folder can change the result.
    private static func otherUser(of path: String, than owner: UInt32) -> UInt32? {
        let entries = [path, File.folder(of: path)]
        let user = entries.lazy.compactMap { try? FileStatus(ofEntry: $0) }.first?.owner
        return user == 0 || user == owner ? nil : user
    }

    /// For messages: the user as whom the command works, and why.
    var reason: String { "this command works as \(account.name), the owner of \(place.printable)" }

    /// Drops the privileges of root permanently, if root runs the command. Must be called before a file of the database
    /// is opened.
    func giveUpRoot() throws(CommandError) {
        guard replacesRoot else { return try requireAccess() }
        do { try Privileges.drop(to: account, group: group) } catch {
            throw CommandError(.failed, "cannot work as \(account.name), the owner of \(place.printable): \(error)")
        }
        if let otherUser, File.isDeniedFolder(File.folder(of: path)) { throw refusal(for: otherUser) }
        try requireAccess()
    }

    /// Without this check, a database that the user may not reach would seem to be missing.
    private func requireAccess() throws(CommandError) {
        let accounts = UserDatabase.ofThisMachine()
        let name = accounts.current.name
        let (place, action) =
            if let folder = File.unsearchableFolder(on: path) { (folder, "enter") } else { (path, "read") }
        guard action == "enter" || File.isUnreadable(path) else { return }
        let ownership = (try? FileStatus(of: place)).map { ", which is \(accounts.ownership(of: $0))" } ?? ""
        // sudo helps neither a systemd unit nor a command that root runs.
        let isFixed = replacesRoot || FatalLine.isForJournal
        let advice = isFixed ? "give \(name) access with chown or chmod" : "run it with sudo"
        throw CommandError(
            .failed,
            "the database \(path.printable) cannot be opened: "
                + "\(name) may not \(action) \(place.printable)\(ownership): \(advice)")
    }

    /// A folder on the path belongs to a user who may not open the database.
    private func refusal(for user: Account) -> CommandError {
        let sudo = OperatorName.isUnderSudo ? "sudo " : ""
        return CommandError(
            .failed,
            "cannot open the database \(path.printable): \(reason), and the database belongs to \(user.name). "
                + "Run the command as that user (\(sudo)runuser -u \(user.name) -- gatehouse …), "
                + "or give \(place.printable) to root (\(sudo)chown -h root \(place.shellQuoted))")
    }
}

/// The user of the package's service.
enum ServiceUser {
    /// Root becomes that user, if there is one, before another server is asked: what that sends does not reach root.
    static func replaceRoot() throws(CommandError) {
        let accounts = UserDatabase.ofThisMachine()
        guard Privileges.isRoot, let service = accounts.account(named: "gatehouse") else { return }
        do throws(POSIXError) {
            try Privileges.drop(to: service, group: accounts.primaryGroup(of: service.id) ?? service.id)
        } catch { throw CommandError(.failed, "this command cannot work as \(service.name): \(error)") }
    }
}

/// libpq's password file for a command that root runs but that works as the owner of a database file. The owner cannot
/// open the files of root.
enum PasswordFile {
    /// Puts a copy into memory that the owner may read, for the rest of the process. Does nothing if there is no file,
    /// or if libpq would ignore it because other users can read it.
    static func keep(for owner: DatabaseOwner) {
        let variables = ProcessEnvironment.variables()
        let path = variables["PGPASSFILE"] ?? (variables["HOME"] ?? "/root") + "/.pgpass"
        guard owner.replacesRoot, let status = FileStatus.ifAny(at: path), status.mode & 0o077 == 0,
            let content = try? File.readRegular(path), let copy = try? FileDescriptor.memoryFile(holding: content),
            fchmod(copy.number, 0o600) == 0, fchown(copy.number, owner.account.id, owner.group) == 0
        else { return }
        ProcessEnvironment.set("PGPASSFILE", to: "/proc/self/fd/\(copy.release())")
    }
}
