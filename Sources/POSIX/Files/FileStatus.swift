import CLinux
import Glibc

/// What the file system knows of a file.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable {
        case file
        case folder
        case socket
        /// A symbolic link.
        case link
        case other
    }

    /// What somebody wants to do; of a folder, `enter` is to reach what is in it.
    package enum Access: UInt32, Sendable {
        case read = 4
        case write = 2
        case enter = 1
    }

    package let kind: Kind
    /// The twelve bits that `chmod` sets.
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32
    package let size: Int64
    /// In seconds since 1970.
    package let modifiedAt: Int64
    /// When its content, its name, its owner or its permissions changed last, in seconds since 1970.
    package let changedAt: Int64
    /// How many names it has.
    package let linkCount: UInt64
    private let device: UInt64
    private let inode: UInt64

    package init(
        kind: Kind, mode: UInt32, owner: UInt32, group: UInt32, size: Int64 = 0, modifiedAt: Int64 = 0,
        changedAt: Int64 = 0, linkCount: UInt64 = 1, device: UInt64 = 0, inode: UInt64 = 0
    ) {
        self.kind = kind
        self.mode = mode
        self.owner = owner
        self.group = group
        self.size = size
        self.modifiedAt = modifiedAt
        self.changedAt = changedAt
        self.linkCount = linkCount
        self.device = device
        self.inode = inode
    }

    /// Of what a path leads to, through links.
    package init(of path: String) throws(POSIXError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw POSIXError("stat \(path)") }
        self.init(status)
    }

    /// Nil where there is nothing, or nothing that this user may see.
    package static func ifAny(at path: String) -> FileStatus? { try? FileStatus(of: path) }

    /// Of what a path names, also where that is a symbolic link.
    package init(ofEntry path: String) throws(POSIXError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw POSIXError("lstat \(path)") }
        self.init(status)
    }

    package init(of descriptor: borrowing FileDescriptor) throws(POSIXError) {
        try self.init(ofDescriptor: descriptor.number)
    }

    init(ofDescriptor number: Int32) throws(POSIXError) {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw POSIXError("fstat") }
        self.init(status)
    }

    /// Of what has a name in a folder that is held open; nil where nothing has.
    init?(ofEntry name: String, in folder: borrowing FileDescriptor) {
        var status = stat()
        guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(
            kind: Self.kind(of: status.st_mode), mode: status.st_mode & 0o7777, owner: status.st_uid,
            group: status.st_gid, size: Int64(status.st_size), modifiedAt: Int64(status.st_mtim.tv_sec),
            changedAt: Int64(status.st_ctim.tv_sec), linkCount: UInt64(status.st_nlink), device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino))
    }

    /// Whether both are one file under two names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether users other than its owner and root may change it, or what is in it.
    var isWritableForOthers: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && group != 0 }

    /// Whether, in a folder that others can write to, each of them can rename and remove their own files only.
    var isSticky: Bool { mode & 0o1000 != 0 }

    var isLink: Bool { kind == .link }

    /// Whether it is a file that nothing else on this file system leads to.
    var isFileOfItsOwn: Bool { kind == .file && linkCount == 1 }

    /// Whether every user of the machine may do something with it.
    package var isOpenToOthers: Bool { mode & 0o007 != 0 }

    /// Whether the permissions let somebody do this. What else may keep them out (a file system that is mounted
    /// read-only, access lists, a sandbox) is not in them.
    package func permits(_ access: Access, to account: Account) -> Bool {
        if account.isRoot { return true }
        let shift: UInt32 = if owner == account.id { 6 } else if account.groups.contains(group) { 3 } else { 0 }
        return mode >> shift & access.rawValue != 0
    }

    private static func kind(of mode: mode_t) -> Kind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFSOCK: .socket
        case S_IFLNK: .link
        default: .other
        }
    }
}
