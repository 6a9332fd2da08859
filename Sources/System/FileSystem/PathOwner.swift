import CLinux
import Glibc
package import POSIX

/// The user who controls which file a path leads to.
///
/// That is the owner of the first component, from the root of the file system, that does not belong to root: this user
/// can replace everything below it. If every component belongs to root, no other user can replace any part. Folders
/// below a component of another user are not examined.
package struct PathOwner: Sendable, Equatable {
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case system(POSIXError)
        /// A folder that belongs to root, in which other users can create or replace files.
        case isOpen(folder: String)

        package var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .isOpen(let folder):
                "the folder \(folder) belongs to root, and other users can write to it: give it to the service's user "
                    + "(chown USER \(folder)), or keep others out (chmod go-w \(folder))"
            }
        }
    }

    package static let root = PathOwner(user: 0, group: 0, place: "/")

    package let user: UInt32
    package let group: UInt32
    /// The first component of the path that does not belong to root.
    package let place: String

    package var isRoot: Bool { user == 0 }

    /// The user who controls a file, which may be missing, and the files next to it in its folder.
    package static func ofFile(at path: String) throws(Fault) -> PathOwner {
        try find(path, countingFile: true)
    }

    /// The user who can replace the file at a path; the owner of the file itself does not count.
    package static func ofPlace(at path: String) throws(Fault) -> PathOwner { try find(path, countingFile: false) }

    /// The user who controls a folder and the files in it.
    package static func ofFolder(at path: String) throws(Fault) -> PathOwner { try ofFile(at: path + "/.") }

    private static func find(_ path: String, countingFile: Bool) throws(Fault) -> PathOwner {
        var walk = try PathWalk(to: path, countsFile: countingFile)
        while let name = walk.next() {
            if let owner = try walk.step(to: name, isLast: walk.isAtEnd) { return owner }
        }
        return .root
    }
}

/// Walks a path from the root of the file system, one component at a time. Only symbolic links of root are followed.
private struct PathWalk: ~Copyable {
    private static let maximumLinks = 40

    private let countsFile: Bool
    private var folder: FileDescriptor
    /// The path walked so far, for messages.
    private var path = ""
    /// The components still to be walked, in reverse order.
    private var rest: [String]
    private var links = 0

    init(to path: String, countsFile: Bool) throws(PathOwner.Fault) {
        let start = try Self.open("/", in: AT_FDCWD)
        let whole = path.hasPrefix("/") ? path : try Self.currentFolder() + "/" + path
        self.countsFile = countsFile
        folder = start
        rest = Self.components(of: whole)
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() -> String? { rest.popLast() }

    /// Nil if this component belongs to root.
    mutating func step(to name: String, isLast: Bool) throws(PathOwner.Fault) -> PathOwner? {
        let parent = try status()
        let isShared = parent.isWritableForOthers
        if name != ".", name != "..", isShared, !parent.isSticky { throw .isOpen(folder: folderPath) }
        let number = unsafe openat(folder.number, name, GATEHOUSE_O_PATH | O_NOFOLLOW | O_CLOEXEC)
        if number < 0, errno == ENOENT, isLast {
            if isShared { throw .isOpen(folder: folderPath) }
            return nil
        }
        guard number >= 0 else { throw .system(POSIXError("open \(path)/\(name)")) }
        let found = FileDescriptor(takingOwnership: number)
        return try examine(consume found, name, isLast: isLast, isShared: isShared)
    }

    /// Returns the owner of an opened component if it is not root. Otherwise follows a link, or enters a folder.
    private mutating func examine(
        _ found: consuming FileDescriptor, _ name: String, isLast: Bool, isShared: Bool
    ) throws(PathOwner.Fault) -> PathOwner? {
        let number = found.number
        let status = try Self.status(of: number)
        let isCounted = countsFile || !isLast || status.isLink
        guard status.owner == 0 || !isCounted else {
            let place = name == "." ? folderPath : "\(path)/\(name)"
            return PathOwner(user: status.owner, group: status.group, place: place)
        }
        if status.isLink {
            try follow(number)
            return nil
        }
        // Other users could create files next to it that belong to it, such as a write-ahead log or a lock file.
        if isLast, isShared, name != "." { throw .isOpen(folder: folderPath) }
        if isLast, name == ".", status.isWritableForOthers { throw .isOpen(folder: folderPath) }
        if !isLast, status.kind != .folder { throw .system(POSIXError("open \(path)/\(name)", code: ENOTDIR)) }
        if status.kind == .folder, name != "." {
            folder = found
            path = name == ".." ? File.folder(of: path) : (path == "/" ? "" : path) + "/" + name
        }
        return nil
    }

    /// Continues at the target of a symbolic link, followed by the remaining components.
    private mutating func follow(_ link: Int32) throws(PathOwner.Fault) {
        links += 1
        guard links <= Self.maximumLinks else { throw .system(POSIXError("open \(path)", code: ELOOP)) }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(link, "", &target, target.count)
        guard count > 0, count < target.count else { throw .system(POSIXError("readlink \(path)")) }
        let text = String(decoding: target.prefix(count).map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
        rest += Self.components(of: text)
        guard text.hasPrefix("/") else { return }
        folder = try Self.open("/", in: AT_FDCWD)
        path = ""
    }

    private func status() throws(PathOwner.Fault) -> FileStatus { try Self.status(of: folder.number) }

    private var folderPath: String { path.isEmpty ? "/" : path }

    private static func currentFolder() throws(PathOwner.Fault) -> String {
        guard let current = unsafe getcwd(nil, 0) else { throw .system(POSIXError("getcwd")) }
        defer { unsafe free(current) }
        return unsafe String(cString: current)
    }

    private static func components(of path: String) -> [String] {
        path.split(separator: "/").map(String.init).reversed()
    }

    private static func open(_ name: String, in folder: Int32) throws(PathOwner.Fault) -> FileDescriptor {
        do throws(POSIXError) {
            return try FileDescriptor(
                takingOwnership: unsafe openat(folder, name, GATEHOUSE_O_PATH | O_DIRECTORY | O_CLOEXEC),
                from: "open \(name)")
        } catch {
            throw .system(error)
        }
    }

    private static func status(of number: Int32) throws(PathOwner.Fault) -> FileStatus {
        do throws(POSIXError) { return try FileStatus(ofDescriptor: number) } catch { throw .system(error) }
    }
}
