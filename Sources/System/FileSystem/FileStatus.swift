import CLinux
import Glibc
package import POSIX

/// The attributes of a file (stat(2)).
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable {
        case file
        case folder
        case socket
        /// A symbolic link.
        case link
        case other
    }

    /// The permission bits of one class of users. `enter` is the search permission of a folder.
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
    package var size: Int64 = 0
    /// In seconds since 1970.
    package var modifiedAt: Int64 = 0
    /// When its content or its attributes (name, owner, permissions) last changed, in seconds since 1970.
    package var changedAt: Int64 = 0
    /// The number of hard links.
    package var linkCount: UInt64 = 1
    var device: UInt64 = 0
    var inode: UInt64 = 0
}

extension FileStatus {
    /// Follows symbolic links.
    package init(of path: String) throws(POSIXError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw POSIXError("stat \(path)") }
        self.init(status)
    }

    /// Nil if the file does not exist or is not accessible to this user.
    package static func ifAny(at path: String) -> FileStatus? { try? FileStatus(of: path) }

    /// Does not follow a symbolic link at the end of the path.
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

    /// The entry of an open folder; nil if there is none. A symbolic link is not followed.
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

    /// Whether both are the same file, possibly under two names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether users other than its owner and root can write to the file or folder.
    var isWritableForOthers: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && group != 0 }

    /// Whether each user of a shared folder can rename and remove only their own files.
    var isSticky: Bool { mode & 0o1000 != 0 }

    var isLink: Bool { kind == .link }

    /// Whether it is a regular file with exactly one name.
    var isFileWithOneName: Bool { kind == .file && linkCount == 1 }

    /// Whether users other than its owner and group have any permission.
    package var isOpenToOthers: Bool { mode & 0o007 != 0 }

    /// Whether the permission bits grant this access to an account. Read-only file systems, access control lists and
    /// sandboxes are not considered.
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

/// The free space of a file system, and whether it is mounted read-only.
package struct FileSystemStatus: Sendable, Equatable {
    package var totalBytes = Int64.max
    /// The space available to unprivileged processes; root may have more.
    package let freeBytes: Int64
    /// The number of free inodes; nil if the file system has no fixed number of them.
    package let freeFiles: Int64?
    package var isReadOnly = false
}

extension FileSystemStatus {
    /// The file system that contains a path.
    package init(at path: String) throws(POSIXError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw POSIXError("statvfs \(path)") }
        self.init(
            totalBytes: Self.bytes(in: status.f_blocks, of: status.f_frsize),
            freeBytes: Self.bytes(in: status.f_bavail, of: status.f_frsize),
            freeFiles: status.f_files == 0 ? nil : Int64(clamping: status.f_favail),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }

    private static func bytes(in blocks: UInt, of size: UInt) -> Int64 {
        let (bytes, isTooMany) = Int64(clamping: blocks).multipliedReportingOverflow(by: Int64(clamping: size))
        return isTooMany ? .max : bytes
    }
}

/// The users whose ids a process sees (user_namespaces(7)). All others look like one, `unmapped`.
package struct UserNamespace: Sendable {
    /// `nobody` on Debian. It is also the id under which the kernel shows every user that a namespace does not map.
    package static let unmapped: UInt32 = 65534

    private let ranges: [Range<UInt64>]

    /// - Parameter map: the content of /proc/self/uid_map: the first id within, the first one outside, and the number.
    package init(map: String) {
        ranges = map.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 ? numbers[0]..<(numbers[0] + min(numbers[2], 1 << 32)) : nil
        }
    }

    package static func ofThisProcess() -> UserNamespace {
        UserNamespace(map: String(decoding: (try? File.read("/proc/self/uid_map")) ?? [], as: UTF8.self))
    }

    /// True also where the map is not known.
    package func contains(_ id: UInt32) -> Bool { ranges.isEmpty || ranges.contains { $0.contains(UInt64(id)) } }
}
