import Glibc

/// A system call that failed: which one it was, and the reason the kernel gave.
package struct POSIXError: Error, Hashable, CustomStringConvertible {
    package let operation: String
    package let code: Int32

    /// Made right after the call that failed, so that `errno` still speaks of it.
    package init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    package var description: String { "\(operation): \(reason)" }

    /// Without what it was that failed.
    package var reason: String { Self.message(for: code) }

    /// It is this user who may not.
    package var isDenied: Bool { code == EACCES || code == EPERM }

    /// There is nothing at the path.
    package var isMissing: Bool { code == ENOENT }

    /// The descriptor is not open.
    package var isClosed: Bool { code == EBADF }

    /// What was opened is a symbolic link, or has another name besides.
    package var isLink: Bool { code == ELOOP || code == EMLINK }

    /// `strerror` shares one buffer among all threads, its reentrant form does not.
    private static func message(for code: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            let failed = unsafe strerror_r(code, buffer.baseAddress!, buffer.count) != 0
            return failed ? "error \(code)" : unsafe String(cString: buffer.baseAddress!)
        }
    }
}
