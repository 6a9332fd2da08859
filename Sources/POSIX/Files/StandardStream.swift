import Glibc
import Synchronization

/// Where a command speaks: answers on one stream, complaints on the other.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    private static let outputIsLost = Atomic(false)

    /// Whether something that was to be read has not been written: the disk that it was redirected to is full, for one.
    package static var hasLostOutput: Bool { outputIsLost.load(ordering: .relaxed) }

    /// Writes bytes as they are, and waits until they are taken; false where they cannot be.
    package func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Whoever shares the stream with us may have made it so that it does not wait by itself.
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

    /// Whether this stream is the one that the service manager has connected with the journal: it names that one in
    /// JOURNAL_STREAM, which outlives a redirection, and so is held against the stream itself (systemd.exec(5)).
    package func isJournal(named name: String?) -> Bool {
        var information = stat()
        guard let name, unsafe fstat(rawValue, &information) == 0 else { return false }
        return name == "\(information.st_dev):\(information.st_ino)"
    }

    /// Writes a line in one piece, so that lines of several threads do not mix. Nobody listening is no fault.
    package func line(_ text: String) {
        do { try File.write(Array((text + "\n").utf8), to: rawValue, named: "stream") } catch {
            if self == .output, error.code != EPIPE { Self.outputIsLost.store(true, ordering: .relaxed) }
        }
    }
}
