import CLinux
import Glibc
package import POSIX

/// Waits for events on many descriptors (epoll). Several threads may wait on one poller; each event goes to one thread.
package struct Poller: ~Copyable, Sendable {
    /// The events to report for a descriptor.
    package enum Interest: Sendable {
        /// Reported as long as the descriptor is readable.
        case readable
        /// Reported as long as the descriptor is writable.
        case writable
        /// Reported once when the descriptor is readable, and not again until it is re-armed.
        case readableOnce
        /// Reported once when the descriptor is writable, and not again until it is re-armed.
        case writableOnce

        fileprivate var events: UInt32 {
            switch self {
            case .readable: EPOLLIN.rawValue
            case .writable: EPOLLOUT.rawValue
            case .readableOnce: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
            case .writableOnce: EPOLLOUT.rawValue | EPOLLONESHOT.rawValue
            }
        }
    }

    private let epoll: FileDescriptor

    package init() throws(POSIXError) {
        epoll = try FileDescriptor(takingOwnership: epoll_create1(Int32(EPOLL_CLOEXEC)), from: "epoll_create1")
    }

    package func add(_ descriptor: Int32, _ interest: Interest) throws(POSIXError) {
        try control(EPOLL_CTL_ADD, descriptor, interest.events)
    }

    /// Changes or re-arms the interest. A descriptor that is already ready is reported at once.
    package func set(_ descriptor: Int32, _ interest: Interest) throws(POSIXError) {
        try control(EPOLL_CTL_MOD, descriptor, interest.events)
    }

    /// Re-arms a descriptor, or adds one that the poller does not know.
    package func arm(_ descriptor: Int32, _ interest: Interest) throws(POSIXError) {
        do { try set(descriptor, interest) } catch { try add(descriptor, interest) }
    }

    package func remove(_ descriptor: Int32) throws(POSIXError) {
        try control(EPOLL_CTL_DEL, descriptor, 0)
    }

    /// The descriptor of the next event, or nil after `milliseconds` without one. A thread takes one event at a time,
    /// so that other threads can handle the rest.
    package func wait(milliseconds: Int32? = nil) throws(POSIXError) -> Int32? {
        var event = unsafe epoll_event()
        while true {
            let count = unsafe epoll_wait(epoll.number, &event, 1, milliseconds ?? -1)
            if count > 0 { return unsafe event.data.fd }
            if count == 0 { return nil }
            if errno != EINTR { throw POSIXError("epoll_wait") }
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) throws(POSIXError) {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.fd = descriptor
        guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else { throw POSIXError("epoll_ctl") }
    }
}

/// A flag that any thread can raise once, and that threads and pollers can wait for (eventfd).
package struct EventFlag: ~Copyable, Sendable {
    /// Readable once the flag is raised.
    package let descriptor: FileDescriptor

    package init() throws(POSIXError) {
        descriptor = try FileDescriptor(
            takingOwnership: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), from: "eventfd")
    }

    package func raise() {
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Waits until the flag is raised. False after the timeout; nil means no timeout.
    @discardableResult
    package func wait(milliseconds: Int32? = nil) -> Bool {
        var interest = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&interest, 1, milliseconds ?? -1)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

/// Both ends of a connection within this process (socketpair).
package struct SocketPair: ~Copyable, Sendable {
    package let near: FileDescriptor
    package let far: FileDescriptor

    package init() throws(POSIXError) {
        var ends: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            unsafe socketpair(AF_UNIX, type, 0, ends.bindMemory(to: Int32.self).baseAddress!)
        }
        guard result == 0 else { throw POSIXError("socketpair") }
        near = FileDescriptor(takingOwnership: ends.0)
        far = FileDescriptor(takingOwnership: ends.1)
    }

    /// Passes the far end to `body`, and returns the near end.
    package consuming func giveFarEnd(to body: (consuming FileDescriptor) -> Void) -> FileDescriptor {
        body(far)
        return near
    }
}

/// Checks whether a process listens at an address, by connecting without sending anything.
package enum SocketProbe {
    package enum Outcome: Sendable, Equatable {
        case listening
        /// No process listens.
        case refused
        case failed(POSIXError)
    }

    package static func outcome(at address: () throws(ListenerError) -> SocketAddress) -> Outcome {
        guard let address = try? address() else { return .failed(POSIXError("address", code: EINVAL)) }
        do throws(POSIXError) {
            let socket = try FileDescriptor.streamSocket(family: address.family)
            if address.connect(socket) { return .listening }
            // The listener's queue is full.
            if errno == EAGAIN { return .listening }
            guard errno == EINPROGRESS else { return outcome(of: errno) }
            guard socket.waitUntilWritable(milliseconds: 2000) else { return outcome(of: ETIMEDOUT) }
            return outcome(of: try socket.option(SO_ERROR))
        } catch {
            return .failed(error)
        }
    }

    private static func outcome(of code: Int32) -> Outcome {
        switch code {
        case 0: .listening
        case ECONNREFUSED: .refused
        default: .failed(POSIXError("connect", code: code))
        }
    }
}

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
