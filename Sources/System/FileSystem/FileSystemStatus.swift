import Glibc
package import POSIX

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
