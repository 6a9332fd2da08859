import CLinux
import Glibc
package import POSIX

/// The result of one read or write on a non-blocking socket.
package enum Transfer: Equatable {
    case moved(Int)
    /// No data can be transferred until the peer reads or writes.
    case wouldBlock
    /// The peer has closed the connection, or it has failed.
    case ended
}

extension FileDescriptor {
    /// Receives into the existing elements of the array, from the first one.
    package func receive(into buffer: inout [UInt8]) -> Transfer { receive(into: &buffer, flags: 0) }

    /// As `receive`, but leaves the data in the socket.
    package func peek(into buffer: inout [UInt8]) -> Transfer { receive(into: &buffer, flags: Int32(MSG_PEEK)) }

    private func receive(into buffer: inout [UInt8], flags: Int32) -> Transfer {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(number, bytes.baseAddress, bytes.count, flags)
            }
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }

    /// Sends as much as the socket accepts of the array, starting at `offset`. A closed connection raises no SIGPIPE.
    package func send(_ buffer: [UInt8], from offset: Int) -> Transfer {
        while true {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
                return unsafe Glibc.send(number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .moved(count) }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }

    /// Closes the connection for writing; the peer reads the end of the stream.
    package func shutDownWriting() {
        _ = shutdown(number, Int32(SHUT_WR))
    }

    /// Whether the peer has closed the connection, at least for writing, or it has failed. There may be data to read.
    package var hasPeerClosed: Bool {
        var entry = pollfd(fd: number, events: Int16(GATEHOUSE_POLLRDHUP), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }
}
