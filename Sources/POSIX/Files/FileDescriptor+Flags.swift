import Glibc

extension FileDescriptor {
    /// Keeps the descriptor out of programs that this process starts.
    package func setCloseOnExec() throws(POSIXError) {
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw POSIXError("fcntl") }
    }

    /// Makes every call on the descriptor return at once, with `EAGAIN` where it would have waited.
    package func setNonBlocking() throws(POSIXError) {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { throw POSIXError("fcntl") }
    }
}
