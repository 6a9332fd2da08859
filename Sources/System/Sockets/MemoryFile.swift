import CLinux
import Glibc
package import POSIX

extension FileDescriptor {
    /// An anonymous file in memory that holds `bytes`, positioned at its start.
    package static func memoryFile(holding bytes: [UInt8] = []) throws(POSIXError) -> FileDescriptor {
        let file = try FileDescriptor(
            takingOwnership: unsafe memfd_create("gatehouse", UInt32(MFD_CLOEXEC)), from: "memfd_create")
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.number, $0.baseAddress, $0.count, 0) }
        guard written == bytes.count else { throw POSIXError("pwrite") }
        return file
    }
}

/// A file in memory with data that a slow peer has not yet read.
///
/// `@unchecked Sendable`: only one thread at a time sends from it and changes `sent`.
package final class UnsentFile: @unchecked Sendable {
    package let descriptor: FileDescriptor
    private var sent = 0

    package init() throws(POSIXError) {
        descriptor = try .memoryFile()
    }

    /// Sends as much of the rest as the socket accepts: `.moved` once everything has been sent.
    package func send(to socket: borrowing FileDescriptor) -> Transfer {
        while true {
            let count = unsafe sendfile(socket.number, descriptor.number, &sent, 1 << 20)
            if count == 0 { return .moved(sent) }
            if count < 0, errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }
}
