import CLinux
import Glibc
package import POSIX

extension FileDescriptor {
    /// A non-blocking stream socket of an address family, closed on exec.
    package static func streamSocket(family: Int32) throws(POSIXError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try FileDescriptor(takingOwnership: socket(family, type, 0), from: "socket")
    }

    /// A unix datagram socket. Sending fails after the timeout if the receiver does not read.
    package static func datagramSocket(sendTimeout: Duration) throws(POSIXError) -> FileDescriptor {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = try FileDescriptor(takingOwnership: Glibc.socket(AF_UNIX, type, 0), from: "socket")
        var time = timeval(
            tv_sec: Int(sendTimeout.components.seconds),
            tv_usec: Int(sendTimeout.components.attoseconds / 1_000_000_000_000))
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0 else {
            throw POSIXError("setsockopt")
        }
        return socket
    }

    /// The next pending connection, as a non-blocking socket; nil if none is pending.
    package func acceptConnection() throws(POSIXError) -> FileDescriptor? {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        while true {
            let accepted = accept4(number, nil, nil, flags)
            if accepted >= 0 { return FileDescriptor(takingOwnership: accepted) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EINVAL: return nil  // EINVAL: the listener has been shut down.
            default: throw POSIXError("accept4")
            }
        }
    }

    /// The user of the process that has connected this unix socket, also if this process has inherited the connection. Nil
    /// for a socket of another family.
    package static func peerUser(of number: Int32) -> UInt32? {
        var user = uid_t.max
        return unsafe gatehouse_peer_user(number, &user) == 0 ? user : nil
    }

    package func option(_ name: Int32, level: Int32 = SOL_SOCKET) throws(POSIXError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, level, name, &value, &size) == 0 else { throw POSIXError("getsockopt") }
        return value
    }

    package func setOption(_ name: Int32, level: Int32 = SOL_SOCKET, to value: Int32) throws(POSIXError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(number, level, name, &value, size) == 0 else { throw POSIXError("setsockopt") }
    }
}

extension FileDescriptor {
    /// Connects to a listener before the deadline. A unix socket with a full queue cannot be polled,
    /// so the call is repeated.
    package static func connected(
        to address: SocketAddress, until deadline: MonotonicTime
    ) throws(POSIXError) -> FileDescriptor {
        let socket = try FileDescriptor.streamSocket(family: address.family)
        while !address.connect(socket) {
            let failure = POSIXError("connect")
            switch failure.code {
            case EISCONN: return socket
            case EINTR, EALREADY, EINPROGRESS:
                guard socket.waitUntilWritable(milliseconds: deadline.millisecondsLeft) else {
                    throw POSIXError("connect", code: ETIMEDOUT)
                }
                let outcome = try socket.option(SO_ERROR)
                guard outcome == 0 else { throw POSIXError("connect", code: outcome) }
            case EAGAIN where MonotonicTime.now < deadline: Thread.pause(for: .milliseconds(10))
            default: throw failure
            }
        }
        return socket
    }
}

extension POSIXError {
    /// The listener's queue was full until the deadline: connecting failed with EAGAIN (unix) or timed out (TCP).
    package var isFullQueue: Bool { code == EAGAIN || code == ETIMEDOUT }
}

extension FileDescriptor {
    /// Sends one message from a datagram socket, together with a copy of a descriptor if one is given (unix(7)).
    package func send(_ message: [UInt8], to address: SocketAddress, passing passed: Int32?) throws(POSIXError) {
        var control = passed.map(Self.rights) ?? []
        var message = message
        let result = unsafe message.withUnsafeMutableBytes { message in
            unsafe control.withUnsafeMutableBytes { control in
                unsafe transmit(message, control, to: address)
            }
        }
        guard result >= 0 else { throw POSIXError("sendmsg") }
    }

    private func transmit(
        _ message: UnsafeMutableRawBufferPointer, _ control: UnsafeMutableRawBufferPointer, to address: SocketAddress
    ) -> Int32 {
        unsafe address.withAddress { name, nameSize in
            var part = unsafe iovec(iov_base: message.baseAddress, iov_len: message.count)
            return unsafe withUnsafeMutablePointer(to: &part) { part in
                var header = unsafe msghdr()
                unsafe header.msg_name = UnsafeMutableRawPointer(mutating: name)
                unsafe header.msg_namelen = nameSize
                unsafe header.msg_iov = part
                unsafe header.msg_iovlen = 1
                if control.count > 0 {
                    unsafe header.msg_control = control.baseAddress
                    unsafe header.msg_controllen = control.count
                }
                while true {
                    let count = unsafe sendmsg(number, &header, Int32(MSG_NOSIGNAL))
                    if count >= 0 || errno != EINTR { return Int32(clamping: count) }
                }
            }
        }
    }

    /// A control message with one descriptor, in the layout of cmsg(3): header, number, and padding to whole words.
    /// Swift cannot import the C macros for this.
    private static func rights(to descriptor: Int32) -> [UInt8] {
        let length = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
        var bytes = unsafe withUnsafeBytes(of: length) { unsafe Array($0) }
        for number in [SOL_SOCKET, Int32(SCM_RIGHTS), descriptor] {
            bytes += unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
        }
        let word = MemoryLayout<Int>.size
        return bytes + [UInt8](repeating: 0, count: (word - length % word) % word)
    }
}

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
