import Glibc

/// Whole small files: secrets, key sets, tokens.
package enum File {
    /// The content of a file, refused when it is longer than expected. A path of `-` is standard input.
    package static func read(_ path: String, atMost limit: Int = 1 << 20) throws(POSIXError) -> [UInt8] {
        let descriptor = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError("open \(path)") }
        defer { _ = close(descriptor) }
        return try read(descriptor, named: path, atMost: limit)
    }

    /// The content of a path that another program's configuration names. It may lead to a pipe or a device, which would
    /// block or never end: only a regular file is read.
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
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw POSIXError("read \(path)", code: EFBIG) }
        }
    }

    /// Replaces a file in one step: whoever reads it sees the old content or the new one, also after a crash.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(POSIXError) {
        let draft = path + ".new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw POSIXError("open \(draft)") }
        defer { _ = close(descriptor) }
        try write(bytes, to: descriptor, named: draft)
        guard fsync(descriptor) == 0 else { throw POSIXError("fsync \(draft)") }
        guard unsafe Glibc.rename(draft, path) == 0 else { throw POSIXError("rename \(draft)") }
    }

    /// Makes a file for this user alone. False where something is there already, be it a link that leads nowhere.
    package static func create(_ path: String, with bytes: [UInt8]) throws(POSIXError) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno != EEXIST else { return false }
        guard descriptor >= 0 else { throw POSIXError("open \(path)") }
        defer { _ = close(descriptor) }
        do throws(POSIXError) {
            try write(bytes, to: descriptor, named: path)
            guard fsync(descriptor) == 0 else { throw POSIXError("fsync \(path)") }
        } catch {
            // Half of it would be in the way of the next attempt.
            _ = unsafe unlink(path)
            throw error
        }
        return true
    }

    /// Lets nobody but this user read what the process makes from now on, whoever makes it: SQLite asks for 0644.
    package static func keepNewOnesPrivate() {
        umask(0o077)
    }

    package static func isReadable(_ path: String) -> Bool {
        unsafe access(path, R_OK) == 0
    }

    /// Whether the permissions of a folder, or of one on the way to it, keep this user from listing it, or from making
    /// files in it.
    package static func isDeniedFolder(_ path: String) -> Bool {
        unsafe access(path, R_OK | W_OK | X_OK) != 0 && errno == EACCES
    }

    /// Whether the permissions of a folder on the way to a path keep this user from it.
    package static func isDenied(_ path: String) -> Bool {
        unsafe access(path, F_OK) != 0 && errno == EACCES
    }

    /// Whether this user may look for a file in a folder.
    package static func isOpenFolder(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0
    }

    /// Whether this user may make files in a folder.
    package static func isWritableFolder(_ path: String) -> Bool {
        unsafe access(path, W_OK | X_OK) == 0
    }

    package static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Whether there is certainly nothing. What cannot be looked at may be there.
    package static func isMissing(_ path: String) -> Bool {
        unsafe access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
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
