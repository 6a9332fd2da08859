import Glibc

/// What one read or write of a non-blocking socket came to.
package enum Transfer: Equatable {
    case moved(Int)
    /// Nothing can move before the other side does something.
    case wouldBlock
    /// The other side is gone, or the connection failed: there is nothing more to hope for.
    case ended
}

extension FileDescriptor {
    /// Receives into the array's existing elements, from its first.
    package func receive(into buffer: inout [UInt8]) -> Transfer { receive(into: &buffer, flags: 0) }

    /// The same, and leaves in the socket what it has received.
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

    /// Sends what the socket will take of the array from `offset` on, without a signal when the peer is gone.
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

    /// Tells the peer that nothing more will be written.
    package func shutDownWriting() {
        _ = shutdown(number, Int32(SHUT_WR))
    }
}
