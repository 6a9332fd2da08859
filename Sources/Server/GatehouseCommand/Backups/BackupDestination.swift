import CommandLineTool
import FileSystem
import POSIX
import Processes

/// The path that a backup is written to. Refuses a path that is not writable or not safe, and
/// suggests a command that works.
struct BackupDestination {
    let path: String
    /// Whether the path is a folder of backups instead of the backup itself.
    let isFolder: Bool
    /// Whether an existing file may be replaced.
    let mayReplace: Bool
    let owner: DatabaseOwner

    private var folder: String { isFolder ? path : File.folder(of: path) }

    /// Must be called after the privileges of root were dropped.
    func requireSafe() throws(CommandError) {
        if owner.replacesRoot, File.isDeniedFolder(folder) { throw closedToOwner }
        if Privileges.isRoot { try requireFolderOfRoot() }
    }

    /// The command runs as the owner of the database, who may not write there.
    private var closedToOwner: CommandError {
        let name = owner.account.name
        let reason = "\(owner.reason), and \(name) may not write to "
        return error(reason + "\(folder.printable): " + (isFolder ? folderAdvice : redirection))
    }

    private var redirection: String {
        // Without -C, the shell would replace an existing file.
        let line = "umask 077; \(mayReplace ? "" : "set -C; ")gatehouse backup - >\(path.shellQuoted)"
        return OperatorName.isUnderSudo ? line.typedAsRoot : "(\(line))"
    }

    private var folderAdvice: String {
        let sudo = OperatorName.isUnderSudo ? "sudo " : ""
        let install = "\(sudo)install -d -o \(owner.account.name) -g \(owner.nameOfGroup) -m 700 "
        guard File.isDenied(path) else { return install + path.shellQuoted }
        return install + "/var/backups/gatehouse, and use that folder: a parent of this one is closed to the owner"
    }

    /// If root owns the database, the command keeps running as root. Another user who controls the folder could then
    /// redirect the write.
    private func requireFolderOfRoot() throws(CommandError) {
        let found: PathOwner
        do throws(PathOwner.Fault) {
            found = isFolder ? try PathOwner.ofFolder(at: path) : try PathOwner.ofPlace(at: path)
        } catch {
            throw self.error("\(error)")
        }
        guard !found.isRoot else { return }
        let name = UserDatabase.ofThisMachine().account(of: found.user).name
        let advice =
            isFolder
            ? "use a folder of root: install -d -m 700 /var/backups/gatehouse"
            : "gatehouse backup - | runuser -u \(name) -- "
                + "sh -c \("umask 077; cat >\(path.shellQuoted)".shellQuoted)"
        throw error("root owns the database, and \(name) controls what is at \(path.printable): \(advice)")
    }

    private func error(_ reason: String) -> CommandError {
        CommandError(.failed, "no backup was made at \(path.printable): \(reason)")
    }
}
