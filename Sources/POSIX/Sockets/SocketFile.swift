import Glibc

/// The file by which a unix socket is found, and the way to tell ours from one that another process put in its place.
struct SocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// What lies at the path now.
    init?(at path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func removeIfOurs() {
        guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
        _ = unsafe unlink(path)
    }

    /// Makes way for a listener: removes a socket that nobody listens to, and nothing else.
    static func clear(_ path: String) throws(ListenerError) {
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        guard try isAbandoned(path) else { throw .inUse(path: path) }
        guard unsafe unlink(path) == 0 else { throw .system(path, POSIXError("unlink")) }
    }

    /// Only a refused connection proves that nobody listens; one that would have to wait is a listener's full queue.
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

    /// Of the file itself, not of one that it links to.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
