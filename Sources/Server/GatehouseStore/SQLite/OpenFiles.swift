import FileSystem
import Gatehouse

/// The files of a database as a server has opened them.
///
/// When one is removed or replaced, the server goes on writing to the open file, which ends with the process. Another
/// process, and each further connection of the server, would open other files.
struct OpenFiles: Sendable {
    private let files: [(path: String, status: FileStatus)]

    init(ofDatabaseAt path: String) {
        files = ["", "-wal", "-shm"].compactMap { suffix in
            FileStatus.ifAny(at: path + suffix).map { (path + suffix, $0) }
        }
    }

    func requireInPlace() throws(StoreFailure) {
        for (path, opened) in files {
            let found = FileStatus.ifAny(at: path)
            guard found.map({ !$0.isSameFile(as: opened) }) ?? File.isMissing(path) else { continue }
            throw StoreFailure(
                "\(path) was removed or replaced while the server has it open", cause: .displaced)
        }
    }
}
