import POSIX

/// Where a backup is to be written to, and what to type where it cannot be.
struct BackupPlace {
    let path: String
    /// Whether the path is a folder of backups, and not the backup itself.
    let isFolder: Bool
    /// Whether a file that is there may be replaced.
    let isReplaced: Bool
    let owner: DatabaseOwner

    private var folder: String { isFolder ? path : File.folder(of: path) }

    /// To be asked when root has been given up, where it is.
    func refuseUnsuitable() throws(CommandFault) {
        if owner.replacesRoot, File.isDeniedFolder(folder) { throw refusalOfOwner }
        if Privileges.areRoots { try refuseFolderOfOthers() }
    }

    /// The owner works in the place of root, and may not write there.
    private var refusalOfOwner: CommandFault {
        let name = owner.account.name
        let reason = "\(owner.reason), and \(name) may not write to "
        return refusal(reason + "\(folder.printable): " + (isFolder ? folderAdvice : redirection))
    }

    private var redirection: String {
        // Without -C, the shell would replace a file that is there.
        let line = "umask 077; \(isReplaced ? "" : "set -C; ")gatehouse backup - >\(path.shellQuoted)"
        return OperatorName.isUnderSudo ? line.typedAsRoot : "(\(line))"
    }

    private var folderAdvice: String {
        let sudo = OperatorName.isUnderSudo ? "sudo " : ""
        let install = "\(sudo)install -d -o \(owner.account.name) -g \(owner.nameOfGroup) -m 700 "
        guard File.isDenied(path) else { return install + path.shellQuoted }
        return install + "/var/backups/gatehouse, and keep them there: a folder on the way to this one is closed to it"
    }

    /// Root stays root where the database is root's. In a folder of another user, that user decides what root writes to.
    private func refuseFolderOfOthers() throws(CommandFault) {
        let found: PathOwner
        do throws(PathOwner.Fault) {
            found = isFolder ? try PathOwner.ofFolder(at: path) : try PathOwner.ofPlace(at: path)
        } catch {
            throw refusal("\(error)")
        }
        guard !found.isRoot else { return }
        let name = AccountBook.ofThisMachine().account(of: found.user).name
        let advice =
            isFolder
            ? "choose a folder of root's: install -d -m 700 /var/backups/gatehouse"
            : "gatehouse backup - | runuser -u \(name) -- "
                + "sh -c \("umask 077; cat >\(path.shellQuoted)".shellQuoted)"
        throw refusal("the database is root's, and \(name) controls what is at \(path.printable): \(advice)")
    }

    private func refusal(_ reason: String) -> CommandFault {
        CommandFault(.failed, "no backup was made at \(path.printable): \(reason)")
    }
}
