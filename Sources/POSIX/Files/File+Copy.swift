import Glibc

extension File {
    /// Copies a file, to a name that nothing has, and returns when the copy is on the disk. What was made of it is removed
    /// where that fails.
    ///
    /// - Parameter model: whose owner the copy belongs to, where root makes it, and whose permissions it has.
    package static func copy(_ path: String, to name: String, like model: FileStatus) throws(POSIXError) {
        let source = try FileDescriptor(
            takingOwnership: unsafe open(path, O_RDONLY | O_CLOEXEC), from: "open \(path)")
        let copy = try FileDescriptor(
            takingOwnership: unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), from: "open \(name)")
        do throws(POSIXError) {
            try copyAll(from: source, to: copy, named: (path, name))
            try copy.adoptOwner(of: model)
            if model.kind == .file { _ = fchmod(copy.number, model.mode & 0o777) }
            guard fsync(copy.number) == 0 else { throw POSIXError("fsync \(name)") }
        } catch {
            _ = unsafe unlink(name)
            throw error
        }
    }

    private static func copyAll(
        from source: borrowing FileDescriptor, to copy: borrowing FileDescriptor, named names: (String, String)
    ) throws(POSIXError) {
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe Glibc.read(source.number, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(names.0)") }
            guard count > 0 else { return }
            try write(Array(piece[..<count]), to: copy.number, named: names.1)
        }
    }
}
