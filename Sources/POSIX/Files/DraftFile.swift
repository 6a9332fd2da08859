import Glibc

/// A file that is being made in the folder that it is for, and gets its name when it is whole.
///
/// Its maker holds a lock on it. What a killed maker has left behind has none, so the next one can tell it from what
/// others are making.
package final class DraftFile {
    package let path: String
    private let folder: String
    private let descriptor: FileDescriptor
    private var hasName = false

    /// Makes an empty file that this user alone may read, and removes those of its kind that nobody makes any more.
    ///
    /// - Parameter kind: what the name of such files begins with.
    package init(in folder: String, kind: String) throws(POSIXError) {
        try Self.removeAbandoned(in: folder, kind: kind)
        let (path, number) = try Self.make(in: folder, kind: kind)
        let file = FileDescriptor(takingOwnership: number)
        try file.adoptOwner(of: FileStatus.ifAny(at: folder))
        self.folder = folder
        self.path = path
        descriptor = file
    }

    deinit {
        if !hasName { try? File.remove(path) }
    }

    /// The path of a new file, and its descriptor, which has a lock and is the caller's to close.
    private static func make(in folder: String, kind: String) throws(POSIXError) -> (path: String, number: Int32) {
        while true {
            var name = Array((folder + "/" + kind + "XXXXXX").utf8CString)
            let number = unsafe mkstemp(&name)
            let file = try FileDescriptor(takingOwnership: number, from: "make a file in \(folder)")
            try file.setCloseOnExec()
            let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            // Somebody who cleans up may have come between, and has taken it for abandoned.
            if try file.lock(.exclusive), let there = FileStatus.ifAny(at: path),
                there.isSameFile(as: try FileStatus(of: file))
            {
                return (path, file.release())
            }
        }
    }

    private static func removeAbandoned(in folder: String, kind: String) throws(POSIXError) {
        for name in try File.names(in: folder) where name.hasPrefix(kind) && name.utf8.count == kind.utf8.count + 6 {
            let path = folder + "/" + name
            let number = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { continue }
            let file = FileDescriptor(takingOwnership: number)
            if try file.lock(.exclusive) { try File.remove(path) }
        }
    }

    /// Has the disk hold what has been written, so that who reads it next reads the disk.
    package func sync() throws(POSIXError) {
        guard fsync(descriptor.number) == 0 else { throw POSIXError("fsync \(path)") }
        posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Gives the file its name for good. False, and nothing done, where something has it that is not to be replaced.
    package func name(_ name: String, replacing: Bool) throws(POSIXError) -> Bool {
        if replacing {
            try File.rename(path, to: name)
        } else if try !File.renameToFreeName(path, name) {
            return false
        }
        hasName = true
        try File.syncFolder(folder)
        return true
    }
}
