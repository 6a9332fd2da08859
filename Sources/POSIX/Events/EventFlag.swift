import CLinux
import Glibc

/// A flag that is raised once, from any thread, and that a thread can sleep on.
package struct EventFlag: ~Copyable, Sendable {
    /// Readable from the moment the flag is raised.
    package let descriptor: FileDescriptor

    package init() throws(POSIXError) {
        descriptor = try FileDescriptor(
            takingOwnership: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), from: "eventfd")
    }

    package func raise() {
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Sleeps until the flag is raised, or for so many milliseconds; says whether it was raised.
    @discardableResult
    package func wait(milliseconds: Int32? = nil) -> Bool {
        var interest = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&interest, 1, milliseconds ?? -1)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
