import Glibc
package import POSIX

/// Reads and writes small files as a whole, such as secrets, key sets and tokens.
package enum File {
    /// The content of a file; throws if it is longer than the limit. The path `-` is standard input.
    package static func read(_ path: String, atMost limit: Int = 1 << 20) throws(POSIXError) -> [UInt8] {
        let descriptor = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError("open \(path)") }
        defer { _ = close(descriptor) }
        return try read(descriptor, named: path, atMost: limit)
    }

    /// The content of a path from another program's configuration. Only a regular file is read: a pipe could block, and
    /// a device may have no end.
    package static func readRegular(_ path: String, atMost limit: Int = 1 << 20) throws(POSIXError) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try FileDescriptor(takingOwnership: unsafe open(path, flags), from: "open \(path)")
        guard try FileStatus(of: file).kind == .file else { throw POSIXError("read \(path)", code: EINVAL) }
        return try read(file.number, named: path, atMost: limit)
    }

    private static func read(
        _ descriptor: Int32, named path: String, atMost limit: Int
    ) throws(POSIXError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw POSIXError("read \(path)", code: EFBIG) }
        }
    }

    /// Replaces a file atomically: a reader sees the old content or the new one, also after a crash.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(POSIXError) {
        let draft = path + ".new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw POSIXError("open \(draft)") }
        defer { _ = close(descriptor) }
        try write(bytes, to: descriptor, named: draft)
        guard fsync(descriptor) == 0 else { throw POSIXError("fsync \(draft)") }
        guard unsafe Glibc.rename(draft, path) == 0 else { throw POSIXError("rename \(draft)") }
    }

    /// Creates a file with mode 0600. False if the name exists, even as a broken symbolic link.
    package static func create(_ path: String, with bytes: [UInt8]) throws(POSIXError) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno != EEXIST else { return false }
        guard descriptor >= 0 else { throw POSIXError("open \(path)") }
        defer { _ = close(descriptor) }
        do throws(POSIXError) {
            try write(bytes, to: descriptor, named: path)
            guard fsync(descriptor) == 0 else { throw POSIXError("fsync \(path)") }
        } catch {
            // A partial file would make the next attempt fail.
            _ = unsafe unlink(path)
            throw error
        }
        return true
    }

    /// Sets the umask so that only this user can access new files, also those that a library
    /// creates: SQLite uses mode 0644.
    package static func restrictNewFiles() {
        umask(0o077)
    }

    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(POSIXError) {
        guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else { throw POSIXError("mkdir \(path)") }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32, named name: String) throws(POSIXError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("write \(name)") }
            rest = rest.dropFirst(count)
        }
    }
}
