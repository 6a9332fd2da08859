import Glibc
import POSIX

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
