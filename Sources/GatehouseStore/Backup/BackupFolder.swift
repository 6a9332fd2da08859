package import Gatehouse
import POSIX

/// A folder of backups that are named by their time, of which the latest are kept.
package struct BackupFolder {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Makes another backup; then, since it is good, removes the oldest beyond so many. What else lies in the folder stays.
    ///
    /// - Returns: the names of those that were removed as well.
    package func add(
        _ database: String, keeping count: Int, now: () -> Timestamp
    ) throws -> (backup: Backup, removed: [String]) {
        // Two within one second have one name; the clock moves on, and each second one of those who wait gets its name.
        for _ in 0..<30 {
            let moment = now()
            let name = "gatehouse-\(moment.forNames).db"
            if let backup = try Backup.make(of: database, at: path + "/" + name, replacing: false, now: moment) {
                return (backup, try removeOldest(beyond: count, sparing: name))
            }
            Thread.pause(for: .milliseconds(1000 - moment.milliseconds % 1000))
        }
        throw StoreFailure("there is a backup of this very second: " + path)
    }

    /// The new one stays also where the clock was set back and others look newer.
    private func removeOldest(beyond count: Int, sparing new: String) throws(POSIXError) -> [String] {
        let others = try File.names(in: path).filter { Self.isOurs($0) && $0 != new }.sorted(by: >)
        let old = others.dropFirst(count - 1).filter { (try? FileStatus(ofEntry: path + "/" + $0))?.kind == .file }
        for name in old { try File.remove(path + "/" + name) }
        return Array(old)
    }

    private static func isOurs(_ name: String) -> Bool {
        name.wholeMatch(of: /gatehouse-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.db/) != nil
    }
}
