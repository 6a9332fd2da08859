import Glibc

/// A file that is being made in the folder that it is for, and gets its name when it is whole.
///
/// Its maker holds a lock on it. What a killed maker has left behind has none, so the next one can tell it from what
/// others are making. The folder is held open, and the file is one and the same descriptor from its first byte to its
/// name: another process that replaces either gains nothing but a failure.
package final class DraftFile {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// For those who can only open a path. No link leads to it.
    package let path: String
    private let name: String
    private let folder: FileDescriptor
    private let descriptor: FileDescriptor
    private var hasName = false

    /// Makes an empty file that this user alone may read, and removes those of its kind that nobody makes any more.
    ///
    /// - Parameter kind: what the name of such files begins with.
    package init(in folder: String, kind: String) throws(POSIXError) {
        let holder = try FileDescriptor(
            takingOwnership: unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open \(folder)")
        try Self.removeAbandoned(in: holder, listedAt: folder, kind: kind)
        let (name, number) = try Self.make(in: holder, called: folder, kind: kind)
        self.folder = holder
        self.name = name
        path = File.resolved(folder) + "/" + name
        descriptor = FileDescriptor(takingOwnership: number)
    }

    deinit {
        if !hasName, isInPlace { _ = unsafe unlinkat(folder.number, name, 0) }
    }

    /// The name of a new file, and its descriptor, which has a lock and is the caller's to close.
    private static func make(
        in folder: borrowing FileDescriptor, called path: String, kind: String
    ) throws(POSIXError) -> (name: String, number: Int32) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        // Another process that removes each of them does not keep this one busy for ever.
        for _ in 0..<10 {
            let name = kind + String((0..<6).map { _ in letters.randomElement()! })
            let number = unsafe openat(folder.number, name, flags, 0o600)
            if number < 0, errno == EEXIST { continue }
            let file = try FileDescriptor(takingOwnership: number, from: "make a file in \(path)")
            // Somebody who cleans up may have come between, and has taken it for abandoned.
            if try file.lock(.exclusive), try file.has(name: name, in: folder) { return (name, file.release()) }
        }
        throw POSIXError("make a file in \(path): another process replaces it", code: ESTALE)
    }

    private static func removeAbandoned(
        in folder: borrowing FileDescriptor, listedAt path: String, kind: String
    ) throws(POSIXError) {
        for name in try File.names(in: path) where name.hasPrefix(kind) && name.utf8.count == kind.utf8.count + 6 {
            let number = unsafe openat(folder.number, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { continue }
            let file = FileDescriptor(takingOwnership: number)
            guard try FileStatus(of: file).kind == .file, try file.lock(.exclusive) else { continue }
            guard unsafe unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
                throw POSIXError("unlink \(path)/\(name)")
            }
        }
    }

    package var size: Int64 { (try? FileStatus(of: descriptor))?.size ?? 0 }

    /// Writes all of a small file, which gets the owner, the group and the permissions of another one.
    package func write(_ bytes: [UInt8], like model: FileStatus) throws(POSIXError) {
        try File.write(bytes, to: descriptor.number, named: path)
        let own = try FileStatus(of: descriptor)
        if own.owner != model.owner || own.group != model.group {
            guard fchown(descriptor.number, model.owner, model.group) == 0 else { throw POSIXError("chown \(path)") }
        }
        guard fchmod(descriptor.number, model.mode & 0o777) == 0 else { throw POSIXError("chmod \(path)") }
    }

    /// Has the disk hold what has been written, so that who reads it next reads the disk.
    package func sync() throws(POSIXError) {
        try demandPlace()
        guard fsync(descriptor.number) == 0 else { throw POSIXError("fsync \(path)") }
        posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Writes all of it to a stream.
    package func copy(to stream: StandardStream) throws(POSIXError) {
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw POSIXError("lseek \(path)") }
        try File.copyAll(from: descriptor) { bytes throws(POSIXError) in
            guard stream.write(bytes) else { throw POSIXError("write standard output") }
        }
        // A pipe cannot be synced, and need not be.
        guard fsync(stream.rawValue) == 0 || errno == EINVAL || errno == EROFS else {
            throw POSIXError("fsync standard output")
        }
    }

    /// Gives the file its name in its folder for good. False, and nothing done, where something has it that is not to be
    /// replaced.
    package func name(_ final: String, replacing: Bool) throws(POSIXError) -> Bool {
        try demandPlace()
        guard try File.rename(name, to: final, in: folder, replacing: replacing) else { return false }
        hasName = true
        guard fsync(folder.number) == 0 else { throw POSIXError("fsync \(File.folder(of: path))") }
        return true
    }

    /// What was opened by its path meanwhile was this file, and not one that has taken its place.
    private func demandPlace() throws(POSIXError) {
        guard isInPlace else { throw POSIXError("\(path) has been replaced by another process", code: ESTALE) }
    }

    private var isInPlace: Bool { (try? descriptor.has(name: name, in: folder)) == true }
}

extension FileDescriptor {
    fileprivate func has(name: String, in folder: borrowing FileDescriptor) throws(POSIXError) -> Bool {
        guard let there = FileStatus(ofEntry: name, in: folder) else { return false }
        return there.isSameFile(as: try FileStatus(of: self))
    }
}
