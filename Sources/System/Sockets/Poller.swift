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
