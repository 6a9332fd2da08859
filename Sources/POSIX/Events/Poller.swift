import CLinux
import Glibc

/// Waits for many descriptors at once (epoll). Any number of threads may wait on one poller: each event goes to one.
package struct Poller: ~Copyable, Sendable {
    /// What to be told of.
    package enum Interest: Sendable {
        /// Once for each arrival of something to read.
        case newlyReadable
        /// Once for each time that room to write comes up.
        case newlyWritable

        fileprivate var events: UInt32 {
            switch self {
            case .newlyReadable: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            case .newlyWritable: EPOLLOUT.rawValue | EPOLLET.rawValue
            }
        }
    }

    /// Something to look at.
    package struct Event: Sendable, Equatable {
        package let descriptor: Int32
        /// The peer will send nothing more than what has arrived.
        package let isLast: Bool
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

    package func remove(_ descriptor: Int32) throws(POSIXError) {
        try control(EPOLL_CTL_DEL, descriptor, 0)
    }

    /// The next event, or nil after `milliseconds` without one. One at a time: a thread takes no more than it can serve
    /// at once, and leaves the rest to the others.
    package func wait(milliseconds: Int32? = nil) throws(POSIXError) -> Event? {
        var event = unsafe epoll_event()
        while true {
            let count = unsafe epoll_wait(epoll.number, &event, 1, milliseconds ?? -1)
            if count > 0 {
                let isLast = unsafe event.events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
                return unsafe Event(descriptor: event.data.fd, isLast: isLast)
            }
            if count == 0 { return nil }
            if errno != EINTR { throw POSIXError("epoll_wait") }
        }
    }

    /// Sleeps until there is an event for somebody to take, and leaves it there; false if the flag was raised meanwhile.
    package func waitForEvents(unless flag: borrowing EventFlag) -> Bool {
        var waits = [epoll.number, flag.descriptor.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&waits, nfds_t(waits.count), -1) < 0, errno == EINTR {}
        return waits[1].revents == 0
    }

    /// Whether there is an event for somebody to take.
    package var hasEvents: Bool {
        var wait = pollfd(fd: epoll.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wait, 1, 0) > 0
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) throws(POSIXError) {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.fd = descriptor
        guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else { throw POSIXError("epoll_ctl") }
    }
}
