import CLinux
import Glibc

extension FileDescriptor {
    /// A file without a name, in memory, that is read from its first byte on.
    package static func memoryFile(holding bytes: [UInt8] = []) throws(POSIXError) -> FileDescriptor {
        let file = try FileDescriptor(
            takingOwnership: unsafe memfd_create("gatehouse", UInt32(MFD_CLOEXEC)), from: "memfd_create")
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.number, $0.baseAddress, $0.count, 0) }
        guard written == bytes.count else { throw POSIXError("pwrite") }
        return file
    }
}

/// What is to be sent to a socket whose peer does not read as fast as it was written.
///
/// Safe to share: how much has been sent is for the one thread that sends.
package final class UnsentFile: @unchecked Sendable {
    package let descriptor: FileDescriptor
    private var sent = 0

    package init() throws(POSIXError) {
        descriptor = try .memoryFile()
    }

    /// Sends what the socket takes of the rest: `.moved` when it has taken everything.
    package func send(to socket: borrowing FileDescriptor) -> Transfer {
        while true {
            let count = unsafe sendfile(socket.number, descriptor.number, &sent, 1 << 20)
            if count == 0 { return .moved(sent) }
            if count < 0, errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }
}
