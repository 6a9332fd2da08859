import Glibc

/// How much room a file system has left, for whoever is not root.
package struct FileSystemStatus: Sendable, Equatable {
    package let freeBytes: Int64
    /// Nil where the file system has no fixed number of files.
    package let freeFiles: Int64?
    package let isReadOnly: Bool

    package init(freeBytes: Int64, freeFiles: Int64?, isReadOnly: Bool = false) {
        self.freeBytes = freeBytes
        self.freeFiles = freeFiles
        self.isReadOnly = isReadOnly
    }

    /// Of the file system that a path is on.
    package init(at path: String) throws(POSIXError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw POSIXError("statvfs \(path)") }
        let (bytes, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        self.init(
            freeBytes: overflow ? .max : bytes, freeFiles: status.f_files == 0 ? nil : Int64(clamping: status.f_favail),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }
}
