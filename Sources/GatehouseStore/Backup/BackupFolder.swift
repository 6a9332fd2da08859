package import Gatehouse
import POSIX

/// A folder of backups that are named by their time, of which the latest are kept.
package struct BackupFolder {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Makes another backup; then, since it is good, removes those that are both beyond the latest so many and older than
    /// an age. What else lies in the folder stays.
    ///
    /// - Parameter age: nil where the count alone decides.
    /// - Returns: the names of those that were removed as well.
    package func add(
        _ database: String, keeping count: Int, for age: Duration? = nil, now: () -> Timestamp
    ) throws -> (backup: Backup, removed: [String]) {
        // Two within one second have one name; the clock moves on, and each second one of those who wait gets its name.
        for _ in 0..<30 {
            let moment = now()
            let name = Self.name(at: moment)
            if let backup = try Backup.make(of: database, at: path + "/" + name, replacing: false, now: moment) {
                let oldest = age.map { Self.name(at: moment - $0) }
                return (backup, try removeOldest(beyond: count, from: oldest, sparing: name))
            }
            Thread.pause(for: .milliseconds(1000 - moment.milliseconds % 1000))
        }
        throw StoreFailure("there is a backup of this very second: " + path)
    }

    /// The new one stays also where the clock was set back and others look newer.
    private func removeOldest(
        beyond count: Int, from oldest: String?, sparing new: String
    ) throws(POSIXError) -> [String] {
        let others = try File.names(in: path).filter { $0 != new }
        let old = Self.superfluous(among: others, beyond: count - 1, from: oldest)
            .filter { (try? FileStatus(ofEntry: path + "/" + $0))?.kind == .file }
        for name in old { try File.remove(path + "/" + name) }
        return Array(old)
    }

    /// The backups that nothing keeps: neither the count, nor the age. Their names sort by time.
    ///
    /// - Parameter oldest: the name that a backup of the greatest age would have; nil where only the count keeps.
    static func superfluous(among names: [String], beyond count: Int, from oldest: String?) -> [String] {
        names.filter(isOurs).sorted(by: >).dropFirst(count).filter { name in oldest.map { name < $0 } ?? true }
    }

    private static func name(at moment: Timestamp) -> String { "gatehouse-\(moment.forNames).db" }

    private static func isOurs(_ name: String) -> Bool {
        name.wholeMatch(of: /gatehouse-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.db/) != nil
    }
}
