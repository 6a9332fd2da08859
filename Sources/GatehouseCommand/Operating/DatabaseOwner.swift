import GatehouseServer
import POSIX

/// The user as whom a command works on the database. Where root calls it, that is the user who controls the database's
/// path: what lies in their folder is theirs to replace, and root must not act on it.
struct DatabaseOwner {
    /// Where the database is.
    let path: String
    /// Who called the command, for the audit trail.
    let operatorName: String
    let account: Account
    let group: UInt32
    let nameOfGroup: String
    /// The folder or file that made this user the owner, as `PathOwner` found it.
    private let place: String
    /// The user to whom the database itself belongs, where that is neither the owner nor root.
    private let otherUser: Account?
    /// Whether root called the command, and gives way to another user.
    let replacesRoot: Bool

    /// The owner of the database that `DATABASE_URL` names. Nothing is given up yet.
    static func ofConfigured() throws(CommandFault) -> DatabaseOwner {
        try DatabaseOwner(of: try DatabasePath.configured())
    }

    /// - Parameter isDevelopment: whether a path that other users can change is accepted, with a warning: a checkout in a
    ///   container often lies in such a folder.
    init(of path: String, isDevelopment: Bool = false) throws(CommandFault) {
        let accounts = AccountBook.ofThisMachine()
        operatorName = OperatorName(accounts).text
        let owner: PathOwner
        do {
            owner = Privileges.areRoots ? try PathOwner.ofFile(at: path) : .root
        } catch .system(let error) where error.isMissing {
            throw CommandFault(.failed, "there is no database \(path.printable), and no folder for it")
        } catch .isOpen where isDevelopment {
            StandardStream.error.line("gatehouse: other users can change the path of the database \(path.printable)")
            owner = .root
        } catch {
            throw CommandFault(.failed, "the database \(path.printable) cannot be used as root: \(error)")
        }
        replacesRoot = !owner.isRoot
        self.path = replacesRoot ? Self.reachable(path) : path
        place = owner.place
        otherUser = owner.isRoot ? nil : Self.otherUser(of: path, than: owner.user).map(accounts.account(of:))
        account = replacesRoot ? accounts.account(of: owner.user) : accounts.current
        // Of a user without an entry, the group of the folder is the next best, but root's is none to keep.
        let group = accounts.primaryGroup(of: account.id) ?? (owner.group == 0 ? account.id : owner.group)
        self.group = group
        nameOfGroup = accounts.nameOfGroup(group)
    }

    /// A path that root was given, as it is to be given to the owner: they may have no access to the folder in which root
    /// called the command.
    func reachable(_ path: String) -> String { replacesRoot ? Self.reachable(path) : path }

    private static func reachable(_ path: String) -> String {
        path.hasPrefix("/") ? path : File.withoutLinks(path)
    }

    /// Only for messages: in a folder of another user, that user decides what is looked at here.
    private static func otherUser(of path: String, than owner: UInt32) -> UInt32? {
        let entries = [path, File.folder(of: path)]
        let user = entries.lazy.compactMap { try? FileStatus(ofEntry: $0) }.first?.owner
        return user == 0 || user == owner ? nil : user
    }

    /// As whom the command works, and why, for messages.
    var reason: String { "this command works as \(account.name), who owns \(place.printable)" }

    /// Gives up root for good, where root called the command; to be done before anything of the database is opened.
    func takeOver() throws(CommandFault) {
        guard replacesRoot else { return try refuseClosedPath() }
        do { try Privileges.giveUp(for: account, group: group) } catch {
            throw CommandFault(.failed, "cannot work as \(account.name), who owns \(place.printable): \(error)")
        }
        if let otherUser, File.isDeniedFolder(File.folder(of: path)) { throw refusal(for: otherUser) }
        try refuseClosedPath()
    }

    /// What this user may not reach would look as if it were not there.
    private func refuseClosedPath() throws(CommandFault) {
        let accounts = AccountBook.ofThisMachine()
        let name = accounts.current.name
        let (place, action) =
            if let folder = File.closedFolder(onTheWayTo: path) { (folder, "enter") } else { (path, "read") }
        guard action == "enter" || File.isUnreadable(path) else { return }
        let ownership = (try? FileStatus(of: place)).map { ", which is \(accounts.ownership(of: $0))" } ?? ""
        // sudo is for a person: a unit works as its user, and root as the owner.
        let isFixed = replacesRoot || FatalLine.isForJournal
        let advice = isFixed ? "let \(name) in with chown or chmod" : "call it with sudo"
        throw CommandFault(
            .failed,
            "the database \(path.printable) cannot be opened: "
                + "\(name) may not \(action) \(place.printable)\(ownership): \(advice)")
    }

    /// A folder on the way belongs to a third user, who may not open the database.
    private func refusal(for user: Account) -> CommandFault {
        let sudo = OperatorName.isUnderSudo ? "sudo " : ""
        return CommandFault(
            .failed,
            "cannot open the database \(path.printable): \(reason), and the database belongs to \(user.name). "
                + "Work as that user (\(sudo)runuser -u \(user.name) -- gatehouse …), "
                + "or give \(place.printable) to root (\(sudo)chown -h root \(place.shellQuoted))")
    }
}
