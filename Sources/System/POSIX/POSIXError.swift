import Glibc

/// A failed system call: its name and `errno`.
package struct POSIXError: Error, Hashable, CustomStringConvertible {
    package let operation: String
    package let code: Int32

    /// Create it directly after the failed call, before another call changes `errno`.
    package init(_ operation: String, code: Int32 = errno) {
        (self.operation, self.code) = (operation, code)
    }

    package var description: String { "\(operation): \(reason)" }

    /// The description without the operation.
    package var reason: String { Self.message(for: code) }

    /// This user lacks the permission.
    package var isDenied: Bool { code == EACCES || code == EPERM }

    /// The file does not exist.
    package var isMissing: Bool { code == ENOENT }

    /// The descriptor is not open.
    package var isClosed: Bool { code == EBADF }

    /// The file is a symbolic link or has several hard links.
    package var isLink: Bool { code == ELOOP || code == EMLINK }

    /// `strerror` shares one buffer among all threads; `strerror_r` does not.
    private static func message(for code: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            let failed = unsafe strerror_r(code, buffer.baseAddress!, buffer.count) != 0
            return failed ? "error \(code)" : unsafe String(cString: buffer.baseAddress!)
        }
    }
}
