import CLinux
import Glibc

/// The user who controls what is found at a path, and is trusted with it therefore.
///
/// That is the owner of the first component, from the root of the file system on, that does not belong to root: they can
/// replace everything below it. Where all of it is root's, no other user can replace any part. What lies in folders that
/// are not root's is neither looked at nor believed.
package struct PathOwner: Sendable, Equatable {
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case system(POSIXError)
        /// A folder of root's in which others can create files, or replace what is there.
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
    /// The folder or file that decided: the first on the way that does not belong to root.
    package let place: String

    package init(user: UInt32, group: UInt32, place: String) {
        self.user = user
        self.group = group
        self.place = place
    }

    package var isRoot: Bool { user == 0 }

    /// Who controls a file, which may be missing, and what lies beside it in its folder.
    package static func ofFile(at path: String) throws(Fault) -> PathOwner {
        try find(path, countingFile: true)
    }

    /// Who decides what is found at a path: whose the file is that is there now is another question.
    package static func ofPlace(at path: String) throws(Fault) -> PathOwner { try find(path, countingFile: false) }

    /// Who controls a folder and what lies in it.
    package static func ofFolder(at path: String) throws(Fault) -> PathOwner { try ofFile(at: path + "/.") }

    private static func find(_ path: String, countingFile: Bool) throws(Fault) -> PathOwner {
        var walk = try PathWalk(to: path, countsFile: countingFile)
        while let name = walk.next() {
            if let owner = try walk.step(to: name, isLast: walk.isAtEnd) { return owner }
        }
        return .root
    }
}

/// A walk from the root of the file system, one component at a time. A link is followed where root has made it.
private struct PathWalk: ~Copyable {
    private static let mostLinks = 40

    private let countsFile: Bool
    private var folder: FileDescriptor
    /// As far as it has come, for messages.
    private var path = ""
    /// What is still to be walked, the next one last.
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

    /// Nil where the walk goes on, or is at its end and everything was root's.
    mutating func step(to name: String, isLast: Bool) throws(PathOwner.Fault) -> PathOwner? {
        let holder = try status()
        let isShared = holder.isWritableForOthers
        if name != ".", name != "..", isShared, !holder.isSticky { throw .isOpen(folder: shown) }
        let number = unsafe openat(folder.number, name, GATEHOUSE_O_PATH | O_NOFOLLOW | O_CLOEXEC)
        if number < 0, errno == ENOENT, isLast {
            if isShared { throw .isOpen(folder: shown) }
            return nil
        }
        guard number >= 0 else { throw .system(POSIXError("open \(path)/\(name)")) }
        let found = FileDescriptor(takingOwnership: number)
        return try take(consume found, name, isLast: isLast, isShared: isShared)
    }

    private mutating func take(
        _ found: consuming FileDescriptor, _ name: String, isLast: Bool, isShared: Bool
    ) throws(PathOwner.Fault) -> PathOwner? {
        let number = found.number
        let status = try Self.status(of: number)
        let isCounted = countsFile || !isLast || status.isLink
        guard status.owner == 0 || !isCounted else {
            let place = name == "." ? shown : "\(path)/\(name)"
            return PathOwner(user: status.owner, group: status.group, place: place)
        }
        if status.isLink {
            try follow(number)
            return nil
        }
        // Beside it others could put what belongs to it: a log, a lock.
        if isLast, isShared, name != "." { throw .isOpen(folder: shown) }
        if isLast, name == ".", status.isWritableForOthers { throw .isOpen(folder: shown) }
        if !isLast, status.kind != .folder { throw .system(POSIXError("open \(path)/\(name)", code: ENOTDIR)) }
        if status.kind == .folder, name != "." {
            folder = found
            path = name == ".." ? File.folder(of: path) : (path == "/" ? "" : path) + "/" + name
        }
        return nil
    }

    /// Goes on where a link of root's leads to, with what is still to be walked behind it.
    private mutating func follow(_ link: Int32) throws(PathOwner.Fault) {
        links += 1
        guard links <= Self.mostLinks else { throw .system(POSIXError("open \(path)", code: ELOOP)) }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(link, "", &target, target.count)
        guard count > 0, count < target.count else { throw .system(POSIXError("readlink \(path)")) }
        let text = String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        rest += Self.components(of: text)
        guard text.hasPrefix("/") else { return }
        folder = try Self.open("/", in: AT_FDCWD)
        path = ""
    }

    private func status() throws(PathOwner.Fault) -> FileStatus { try Self.status(of: folder.number) }

    private var shown: String { path.isEmpty ? "/" : path }

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
