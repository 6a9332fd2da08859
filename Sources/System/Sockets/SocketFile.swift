import Glibc
import POSIX

/// The file of a unix socket, identified by device and inode so that a file of another process is not removed.
struct SocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The current file at the path; nil if there is none.
    init?(at path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func removeIfUnchanged() {
        guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
        _ = unsafe unlink(path)
    }

    /// Removes a socket file on which no process listens, and no other file.
    static func clear(_ path: String) throws(ListenerError) {
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        guard try isAbandoned(path) else { throw .inUse(path: path) }
        guard unsafe unlink(path) == 0 else { throw .system(path, POSIXError("unlink")) }
    }

    /// Only a refused connection proves that no process listens. EAGAIN means that a listener's queue is full.
    private static func isAbandoned(_ path: String) throws(ListenerError) -> Bool {
        let address = try SocketAddress(path: path)
        do throws(POSIXError) {
            let probe = try FileDescriptor.streamSocket(family: AF_UNIX)
            if address.connect(probe) || errno == EAGAIN { return false }
            let failure = POSIXError("connect")
            if failure.code == ECONNREFUSED { return true }
            throw failure
        } catch {
            throw .system(path, error)
        }
    }

    /// Does not follow a symbolic link.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
