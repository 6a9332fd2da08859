import Glibc
package import POSIX

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
