import CLinux
import Glibc
package import POSIX

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
