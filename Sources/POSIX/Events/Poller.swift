import CLinux
import Glibc

/// Waits for many descriptors at once (epoll). Any number of threads may wait on one poller: each event goes to one.
package struct Poller: ~Copyable, Sendable {
    /// What to be told of.
    package enum Interest: Sendable {
        /// As long as there is something to read.
        case readable
        /// As long as there is room to write.
        case writable
        /// As soon as there is something to read, and then no more until it is set again.
        case readableOnce
        /// The same for room to write.
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

    /// Changes the interest, or states it anew: an event follows if it holds already.
    package func set(_ descriptor: Int32, _ interest: Interest) throws(POSIXError) {
        try control(EPOLL_CTL_MOD, descriptor, interest.events)
    }

    /// The same for a descriptor that may be new to the poller.
    package func arm(_ descriptor: Int32, _ interest: Interest) throws(POSIXError) {
        do { try set(descriptor, interest) } catch { try add(descriptor, interest) }
    }

    package func remove(_ descriptor: Int32) throws(POSIXError) {
        try control(EPOLL_CTL_DEL, descriptor, 0)
    }

    /// The descriptor of the next event, or nil after `milliseconds` without one. One at a time: a thread takes no more than
    /// it can handle at once, and leaves the rest to the others.
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
