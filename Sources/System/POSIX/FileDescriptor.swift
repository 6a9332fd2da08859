import Glibc

/// The only owner of an open file descriptor, which is closed when this value is destroyed.
package struct FileDescriptor: ~Copyable, Sendable {
    /// For calls that use the descriptor. They must not close it.
    package let number: Int32

    package init(takingOwnership number: Int32) {
        self.number = number
    }

    /// Takes the descriptor that `operation` returned, or throws `errno` if it returned none.
    package init(takingOwnership number: Int32, from operation: String) throws(POSIXError) {
        guard number >= 0 else { throw POSIXError(operation) }
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Passes ownership to the caller, without closing the descriptor.
    package consuming func release() -> Int32 {
        let released = number
        discard self
        return released
    }
}

// MARK: - Flags

extension FileDescriptor {
    /// Programs that this process starts do not inherit the descriptor.
    package func setCloseOnExec() throws(POSIXError) {
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw POSIXError("fcntl") }
    }

    /// A call on the descriptor that would block fails with `EAGAIN` instead.
    package func setNonBlocking() throws(POSIXError) {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { throw POSIXError("fcntl") }
    }
}

// MARK: - Waiting

extension FileDescriptor {
    /// Waits until a read would not block. False after the timeout; a negative timeout means no limit.
    package func waitUntilReadable(milliseconds: Int32) -> Bool {
        wait(for: POLLIN, milliseconds: milliseconds)
    }

    /// Waits until a write would not block. False after the timeout; a negative timeout means no limit.
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
