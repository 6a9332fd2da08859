import Glibc

extension File {
    /// The first folder on the way to a path that this user may not enter; nil where there is none.
    package static func closedFolder(onTheWayTo path: String) -> String? {
        let parts = folder(of: path).split(separator: "/", omittingEmptySubsequences: true)
        let start = path.hasPrefix("/") ? "/" : ""
        let folders = parts.indices.map { start + parts[...$0].joined(separator: "/") }
        return folders.first { unsafe access($0, X_OK) != 0 && errno == EACCES }
    }

    /// Whether a file is there that this user may not read.
    package static func isUnreadable(_ path: String) -> Bool {
        unsafe access(path, R_OK) != 0 && errno == EACCES
    }
}
