import Glibc

extension FileDescriptor {
    /// Waits until there is something to read, or the time is up; false then. A negative time has no end.
    package func waitUntilReadable(milliseconds: Int32) -> Bool {
        wait(for: POLLIN, milliseconds: milliseconds)
    }

    /// The same until something can be written.
    package func waitUntilWritable(milliseconds: Int32) -> Bool {
        wait(for: POLLOUT, milliseconds: milliseconds)
    }

    private func wait(for event: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(event), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
