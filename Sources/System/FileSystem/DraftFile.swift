import Glibc
package import POSIX

/// A temporary file in its target folder, which is renamed to its final name when it is complete.
///
/// The process that writes it holds a lock on it. A temporary file without a lock was left by a process that was
/// killed, and the next process removes it. The folder and the file stay open from the first byte to the rename, so a
/// process that replaces either of them only causes a failure.
package final class DraftFile {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// The path of the temporary file without symbolic links, for libraries that can only open a path.
    package let path: String
    private let name: String
    private let folder: FileDescriptor
    private let descriptor: FileDescriptor
    private var hasName = false

    /// Creates an empty file with mode 0600, and removes abandoned files with the same prefix.
    ///
    /// - Parameter kind: the prefix of the names of such files.
    package init(in folder: String, kind: String) throws(POSIXError) {
        let directory = try FileDescriptor(
            takingOwnership: unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open \(folder)")
        try Self.removeAbandoned(in: directory, listedAt: folder, kind: kind)
        let (name, number) = try Self.make(in: directory, called: folder, kind: kind)
        self.folder = directory
        self.name = name
        path = File.resolved(folder) + "/" + name
        descriptor = FileDescriptor(takingOwnership: number)
    }

    deinit {
        if !hasName, isInPlace { _ = unsafe unlinkat(folder.number, name, 0) }
    }

    /// The name and the descriptor of a new, locked file. The caller has to close the descriptor.
    private static func make(
        in folder: borrowing FileDescriptor, called path: String, kind: String
    ) throws(POSIXError) -> (name: String, number: Int32) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        // The number of attempts is limited, in case another process removes every new file.
        for _ in 0..<10 {
            let name = kind + String((0..<6).map { _ in letters.randomElement()! })
            let number = unsafe openat(folder.number, name, flags, 0o600)
            if number < 0, errno == EEXIST { continue }
            let file = try FileDescriptor(takingOwnership: number, from: "make a file in \(path)")
            // Another process may have removed it as abandoned before it was locked.
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

    /// Writes the whole content of a small file, and copies owner, group and permissions from another file.
    package func write(_ bytes: [UInt8], like model: FileStatus) throws(POSIXError) {
        try File.write(bytes, to: descriptor.number, named: path)
        let own = try FileStatus(of: descriptor)
        if own.owner != model.owner || own.group != model.group {
            guard fchown(descriptor.number, model.owner, model.group) == 0 else { throw POSIXError("chown \(path)") }
        }
        guard fchmod(descriptor.number, model.mode & 0o777) == 0 else { throw POSIXError("chmod \(path)") }
    }

    /// Writes the next part of a large file.
    package func append(_ bytes: [UInt8]) throws(POSIXError) {
        try File.write(bytes, to: descriptor.number, named: path)
    }

    /// Writes the file to the disk and drops it from the page cache, so that the next read
    /// verifies what the disk holds.
    package func sync() throws(POSIXError) {
        try requireInPlace()
        guard fsync(descriptor.number) == 0 else { throw POSIXError("fsync \(path)") }
        posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Writes the whole file to a stream.
    package func copy(to stream: StandardStream) throws(POSIXError) {
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw POSIXError("lseek \(path)") }
        try File.copyAll(from: descriptor) { bytes throws(POSIXError) in
            guard stream.write(bytes) else { throw POSIXError("write standard output") }
        }
        // A pipe cannot be synced and does not need to be.
        guard fsync(stream.rawValue) == 0 || errno == EINVAL || errno == EROFS else {
            throw POSIXError("fsync standard output")
        }
    }

    /// Renames the file to its final name and syncs the folder. False, and nothing changed, if the name exists and must
    /// not be replaced.
    package func name(_ final: String, replacing: Bool) throws(POSIXError) -> Bool {
        try requireInPlace()
        guard try File.rename(name, to: final, in: folder, replacing: replacing) else { return false }
        hasName = true
        guard fsync(folder.number) == 0 else { throw POSIXError("fsync \(File.folder(of: path))") }
        return true
    }

    /// Throws if the path no longer leads to this file: a library may have opened another file by that path.
    private func requireInPlace() throws(POSIXError) {
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
