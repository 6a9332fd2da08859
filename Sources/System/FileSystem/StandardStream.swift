import Glibc
import POSIX
import Synchronization

/// The standard output and standard error of a command.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    private static let outputIsLost = Atomic(false)

    /// Whether a write to standard output has failed, for instance because the disk that it is redirected to is full.
    package static var hasLostOutput: Bool { outputIsLost.load(ordering: .relaxed) }

    /// Writes all bytes, and blocks as long as that takes. False if the write fails.
    package func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Another process that shares the stream may have made it non-blocking.
            if count < 0, errno == EAGAIN, waitUntilWritable() { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func waitUntilWritable() -> Bool {
        var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, -1) > 0 || errno == EINTR
    }

    /// Whether this stream is connected to the systemd journal. JOURNAL_STREAM names the journal's stream, and is still
    /// set after a redirection, so it is compared with the stream itself (systemd.exec(5)).
    ///
    /// - Parameter name: the value of JOURNAL_STREAM.
    package func isJournal(named name: String?) -> Bool {
        var information = stat()
        guard let name, unsafe fstat(rawValue, &information) == 0 else { return false }
        return name == "\(information.st_dev):\(information.st_ino)"
    }

    /// Writes one line in one call, so that lines of several threads do not mix. A closed pipe is not an error.
    package func line(_ text: String) {
        do { try File.write(Array((text + "\n").utf8), to: rawValue, named: "stream") } catch {
            if self == .output, error.code != EPIPE { Self.outputIsLost.store(true, ordering: .relaxed) }
        }
    }
}

/// Whether the standard streams are connected to a terminal. In a script they are not.
package enum Terminal {
    /// Standard input.
    package static var isAttached: Bool { isatty(0) == 1 }

    package static var showsOutput: Bool { isatty(1) == 1 }

    package static var showsErrors: Bool { isatty(2) == 1 }
}
