import FileSystem
package import Gatehouse
import POSIX

/// A folder of backups that are named after their time, with a retention.
package struct BackupFolder {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Makes a backup. If that succeeds, removes the backups that are neither among the latest `count` nor younger than
    /// `age` by two clocks: this machine's, and the time that the server of the database expects. Other files in the folder
    /// stay.
    ///
    /// - Parameter age: nil to keep by the count alone.
    /// - Returns: the backup, and the names of the removed ones.
    package func add(
        _ database: String, keeping count: Int, for age: Duration? = nil, now: () -> Timestamp,
        progress: Progress = Progress()
    ) throws -> (backup: Backup, removed: [String]) {
        // Names have a resolution of one second. If another process has taken the name, retry in the next second.
        for _ in 0..<30 {
            let moment = now()
            let name = Self.name(at: moment)
            let backup = try Backup.make(
                of: database, at: path + "/" + name, replacing: false, now: moment, progress: progress)
            if let backup {
                let known = (try? SQLiteFile(path: database).lastKnownTime()) ?? nil
                let confirmed = known?.earliest(moment, uptime: .seconds(MachineUptime.seconds)) ?? moment
                let oldest = age.map { Self.name(at: confirmed - $0) }
                return (backup, try removeExpired(beyond: count, before: oldest, sparing: name))
            }
            Thread.pause(for: .milliseconds(1000 - moment.milliseconds % 1000))
        }
        throw StoreFailure("another process makes a backup in \(path) every second: try again later")
    }

    /// Never removes the new backup, even if the clock was set back and other names sort after it.
    private func removeExpired(
        beyond count: Int, before oldest: String?, sparing new: String
    ) throws(POSIXError) -> [String] {
        let others = try File.names(in: path).filter { $0 != new }
        let expired = Self.expired(among: others, beyond: count - 1, before: oldest)
            .filter { (try? FileStatus(ofEntry: path + "/" + $0))?.kind == .file }
        for name in expired { try File.remove(path + "/" + name) }
        return Array(expired)
    }

    /// The backups that are kept neither by the count nor by the age. Names sort by time.
    ///
    /// - Parameter oldest: the name of a backup of the maximum age; nil to keep by the count alone.
    static func expired(among names: [String], beyond count: Int, before oldest: String?) -> [String] {
        names.filter(isBackup).sorted(by: >).dropFirst(count).filter { name in oldest.map { name < $0 } ?? true }
    }

    private static func name(at moment: Timestamp) -> String { "gatehouse-\(moment.inFileNames).db" }

    private static func isBackup(_ name: String) -> Bool {
        name.wholeMatch(of: /gatehouse-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.db/) != nil
    }
}

extension Timestamp {
    /// In seconds and without colons: `2026-11-21T201500Z`. Such names sort by time.
    var inFileNames: String {
        description.prefix(19).filter { $0 != ":" } + "Z"
    }
}
