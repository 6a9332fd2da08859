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

extension File {
    /// A part of a file that another process appends to; empty at its end and behind it.
    package static func read(_ path: String, from offset: Int64, atMost limit: Int) throws(POSIXError) -> [UInt8] {
        let file = try FileDescriptor(
            takingOwnership: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), from: "open \(path)")
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe pread(file.number, &bytes, limit, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            return Array(bytes.prefix(count))
        }
    }
}

/// Checks the permissions of this user. They may change before the file is used.
extension File {
    package static func isReadable(_ path: String) -> Bool {
        unsafe access(path, R_OK) == 0
    }

    /// Whether the permissions of an existing file forbid this user to read it.
    package static func isUnreadable(_ path: String) -> Bool {
        unsafe access(path, R_OK) != 0 && errno == EACCES
    }

    /// Whether the permissions of a folder, or of a folder above it, forbid this user to list it
    /// or to create files in it.
    package static func isDeniedFolder(_ path: String) -> Bool {
        unsafe access(path, R_OK | W_OK | X_OK) != 0 && errno == EACCES
    }

    /// Whether the permissions of a folder on the path forbid this user to look up the path.
    package static func isDenied(_ path: String) -> Bool {
        unsafe access(path, F_OK) != 0 && errno == EACCES
    }

    /// Whether this user has search permission for a folder.
    package static func isSearchableFolder(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0
    }

    /// Whether this user may create files in a folder.
    package static func isWritableFolder(_ path: String) -> Bool {
        unsafe access(path, W_OK | X_OK) == 0
    }

    package static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Whether the file certainly does not exist. If the path cannot be looked up, it may exist.
    package static func isMissing(_ path: String) -> Bool {
        unsafe access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The first folder on a path for which this user has no search permission; nil if there is none.
    package static func unsearchableFolder(on path: String) -> String? {
        let parts = folder(of: path).split(separator: "/", omittingEmptySubsequences: true)
        let start = path.hasPrefix("/") ? "/" : ""
        let folders = parts.indices.map { start + parts[...$0].joined(separator: "/") }
        return folders.first { unsafe access($0, X_OK) != 0 && errno == EACCES }
    }
}

extension File {
    /// Opens a file for reading without blocking, also if it is a named pipe.
    package static func openForReading(_ path: String) throws(POSIXError) -> FileDescriptor {
        try FileDescriptor(
            takingOwnership: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), from: "open \(path)")
    }

    /// A duplicate of the descriptor of standard input.
    package static func standardInput() throws(POSIXError) -> FileDescriptor {
        try FileDescriptor(takingOwnership: dup(0), from: "read standard input")
    }

    /// Copies the rest of a source to a new file, and returns when the copy is on the disk. A partial copy is removed
    /// after an error.
    ///
    /// - Parameter model: the copy gets its permissions, and its group if this user may set it.
    package static func copy(
        _ source: borrowing FileDescriptor, to name: String, like model: FileStatus
    ) throws(POSIXError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let copy = try FileDescriptor(takingOwnership: unsafe open(name, flags, 0o600), from: "open \(name)")
        do throws(POSIXError) {
            let number = copy.number
            try copyAll(from: source) { bytes throws(POSIXError) in try write(bytes, to: number, named: name) }
            if model.kind == .file { try copy.take(groupAndModeOf: model) }
            guard fsync(copy.number) == 0 else { throw POSIXError("fsync \(name)") }
        } catch {
            _ = unsafe unlink(name)
            throw error
        }
    }

    static func copyAll(
        from source: borrowing FileDescriptor, write: ([UInt8]) throws(POSIXError) -> Void
    ) throws(POSIXError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe Glibc.read(source.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read") }
            guard count > 0 else { return }
            try write(Array(chunk[..<count]))
        }
    }
}

extension FileDescriptor {
    /// If the group cannot be copied, the group's permissions are not copied either.
    fileprivate func take(groupAndModeOf model: FileStatus) throws(POSIXError) {
        let isSameGroup = try FileStatus(of: self).group == model.group
        let isGiven = isSameGroup || fchown(number, uid_t.max, model.group) == 0
        _ = fchmod(number, model.mode & (isGiven ? 0o777 : 0o707))
    }
}
