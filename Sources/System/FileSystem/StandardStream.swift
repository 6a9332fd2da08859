import Glibc
package import POSIX
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

/// A file of any size that is read from its beginning to its end, or standard input.
package struct InputFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: String
    /// Of a regular file; nil for a pipe.
    package let size: Int64?

    /// - Parameter path: `-` is standard input.
    package init(_ path: String) throws(POSIXError) {
        let number = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        self.init(try FileDescriptor(takingOwnership: number, from: "open \(path)"), path)
    }

    /// The same bytes from a file that can be read again: a copy without a name of what is not one.
    package consuming func rewindable() throws(POSIXError) -> InputFile {
        if size != nil { return self }
        var name = Array("/tmp/gatehouse-input-XXXXXX".utf8CString)
        let copy = try FileDescriptor(takingOwnership: unsafe mkstemp(&name), from: "make a file in /tmp")
        _ = unsafe unlink(name)
        let number = copy.number
        try File.copyAll(from: descriptor) { bytes throws(POSIXError) in
            try File.write(bytes, to: number, named: "a file in /tmp")
        }
        let file = InputFile(copy, path)
        try file.rewind()
        return file
    }

    private init(_ descriptor: consuming FileDescriptor, _ path: String) {
        let status = try? FileStatus(ofDescriptor: descriptor.number)
        size = status?.kind == .file ? status?.size : nil
        self.descriptor = descriptor
        self.path = path
    }

    /// Goes back to the beginning.
    package func rewind() throws(POSIXError) {
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw POSIXError("lseek \(path)") }
    }

    /// The next bytes; empty at the end.
    package func next(atMost limit: Int = 1 << 18) throws(POSIXError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe Glibc.read(descriptor.number, &bytes, limit)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            bytes.removeLast(limit - count)
            return bytes
        }
    }
}

/// A new file that grows while it is written, such as a report. What was written stays if the process is killed.
package final class OutputFile {
    private static let bufferSize = 1 << 16

    private let descriptor: FileDescriptor
    private let path: String
    private var buffer: [UInt8] = []

    /// Creates the file with mode 0600, or empties it.
    package init(replacing path: String) throws(POSIXError) {
        descriptor = try FileDescriptor(
            takingOwnership: unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600), from: "open \(path)")
        self.path = path
    }

    package func append(_ bytes: [UInt8]) throws(POSIXError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    package func flush() throws(POSIXError) {
        try File.write(buffer, to: descriptor.number, named: path)
        buffer.removeAll(keepingCapacity: true)
    }
}
