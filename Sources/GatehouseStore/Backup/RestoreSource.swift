import Gatehouse
import POSIX

/// The backup that a restore reads: opened once, and read from that descriptor alone.
///
/// A command of root's opens it before it gives up root, where only root can have put it in its place.
package struct RestoreSource: ~Copyable {
    let descriptor: FileDescriptor
    let name: String
    /// What lies beside it and is a part of it, so that it is not all of a database by itself.
    let log: String?
    private let isStream: Bool

    package init(openingFile path: String) throws {
        do throws(POSIXError) { descriptor = try File.openForReading(path) } catch {
            if error.isMissing { throw StoreFailure("there is no such file: " + path) }
            throw error
        }
        name = path
        log = ["-wal", "-journal"].map { path + $0 }.first { (FileStatus.ifAny(at: $0)?.size ?? 0) > 0 }
        isStream = false
    }

    /// A backup that is sent to standard input.
    package init(readingStandardInput: Void) throws {
        descriptor = try File.standardInput()
        name = "standard input"
        log = nil
        isStream = true
    }

    func refuseUnsuitable(for database: String) throws {
        let status = try FileStatus(of: descriptor)
        guard isStream || status.kind == .file else { throw RestoreRefusal("is no file: " + name) }
        if let current = FileStatus.ifAny(at: database), current.isSameFile(as: status) {
            throw RestoreRefusal("is the database itself: " + name)
        }
        guard let log else { return }
        throw RestoreRefusal("is not all of a database, the rest is in \(log): make a backup of it, and restore that")
    }
}
