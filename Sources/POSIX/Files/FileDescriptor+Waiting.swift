import Glibc

extension FileDescriptor {
    /// Waits until there is something to read, or the time is up; false then. A negative time has no end.
    package func waitUntilReadable(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
