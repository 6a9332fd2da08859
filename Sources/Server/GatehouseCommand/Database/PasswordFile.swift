import FileSystem
import Glibc
import POSIX
import Processes
import Sockets

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
