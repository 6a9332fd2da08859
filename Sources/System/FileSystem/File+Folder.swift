import CLinux
import Glibc
package import POSIX

/// Paths and folders. Every change is atomic.
extension File {
    /// The folder part of a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    /// The path with every symbolic link resolved; the path itself if it does not exist.
    package static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// As `resolved`, for a file that may be missing in a folder that exists.
    package static func withoutLinks(_ path: String) -> String {
        guard isMissing(path) else { return resolved(path) }
        let folder = resolved(folder(of: path))
        return (folder == "/" ? "" : folder) + "/" + name(of: path)
    }

    /// The names of the entries of a folder, in no order.
    package static func names(in folder: String) throws(POSIXError) -> [String] {
        guard let listing = unsafe opendir(folder) else { throw POSIXError("opendir \(folder)") }
        defer { _ = unsafe closedir(listing) }
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            let length = MemoryLayout.size(ofValue: unsafe entry.pointee.d_name)
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                unsafe start.withMemoryRebound(to: CChar.self, capacity: length) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Renames a file, and replaces a file that has the new name.
    package static func rename(_ path: String, to name: String) throws(POSIXError) {
        guard unsafe Glibc.rename(path, name) == 0 else { throw POSIXError("rename \(path)") }
    }

    /// Renames a file within a folder. False, and nothing changed, if the new name exists and must not be replaced.
    static func rename(
        _ name: String, to other: String, in folder: borrowing FileDescriptor, replacing: Bool
    ) throws(POSIXError) -> Bool {
        let number = folder.number
        if !replacing {
            if unsafe renameat2(number, name, number, other, UInt32(RENAME_NOREPLACE)) == 0 { return true }
            if errno == EEXIST { return false }
            guard errno == EINVAL || errno == ENOSYS else { throw POSIXError("rename \(name)") }
            // The file system has no RENAME_NOREPLACE, for instance a FAT or network file system.
            if FileStatus(ofEntry: other, in: folder) != nil { return false }
        }
        guard unsafe renameat(number, name, number, other) == 0 else { throw POSIXError("rename \(name)") }
        return true
    }

    /// Creates a hard link to a file.
    package static func link(_ path: String, as name: String) throws(POSIXError) {
        guard unsafe Glibc.link(path, name) == 0 else { throw POSIXError("link \(path)") }
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) throws(POSIXError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw POSIXError("unlink \(path)") }
    }

    /// Writes the entries of a folder to the disk.
    package static func syncFolder(_ folder: String) throws(POSIXError) {
        let descriptor = try FileDescriptor(
            takingOwnership: unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open \(folder)")
        guard fsync(descriptor.number) == 0 else { throw POSIXError("fsync \(folder)") }
    }
}
