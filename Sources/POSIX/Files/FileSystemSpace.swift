import Glibc

/// How much fits into a file system.
package struct FileSystemSpace: Sendable, Equatable {
    package let totalBytes: Int64
    /// For a process like this one; root may have some more.
    package let freeBytes: Int64

    /// Of the file system that holds this file or folder.
    package init(at path: String) throws(POSIXError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw POSIXError("statvfs \(path)") }
        totalBytes = Int64(clamping: UInt64(status.f_blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
        freeBytes = Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }
}
