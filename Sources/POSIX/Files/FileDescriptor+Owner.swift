import Glibc

extension FileDescriptor {
    /// What root makes beside somebody's file is that somebody's, as SQLite has it with its log: otherwise they could not
    /// open it. To anybody else's process this does nothing.
    func adoptOwner(of neighbour: FileStatus?) throws(POSIXError) {
        guard geteuid() == 0, let neighbour else { return }
        let own = try FileStatus(of: self)
        guard own.owner != neighbour.owner || own.group != neighbour.group else { return }
        guard fchown(number, neighbour.owner, neighbour.group) == 0 else { throw POSIXError("fchown") }
    }
}
