package import FileSystem
package import Gatehouse
import POSIX
import SQL
import SQLite
import Synchronization

/// A verified copy of a database.
package struct Backup: Sendable {
    /// `-` if the copy was written to a stream.
    package let path: String
    package let byteCount: Int64
    package let summary: DatabaseSummary

    /// The prefix of the names of unfinished copies.
    private static let draftKind = ".gatehouse-backup-"

    /// Copies a database while a server may be using it, without blocking the server's writes. Returns nil and does
    /// nothing if `path` exists and must not be replaced.
    ///
    /// The copy is a single file. It gets its name after it was synced to the disk and verified.
    package static func make(
        of database: String, at path: String, replacing: Bool, now: Timestamp, progress: Progress = Progress()
    ) throws -> Backup? {
        if !replacing, (try? FileStatus(ofEntry: path)) != nil { return nil }
        try SQLiteStore.requireFile(database)
        guard FileStatus.ifAny(at: path)?.kind != .folder else {
            throw StoreFailure("\(path) is a folder: name a file in it")
        }
        let lock = try SQLiteStore.lock(database, waiting: .seconds(5))
        defer { withExtendedLifetime(lock) {} }
        let (draft, summary) = try verifiedDraft(
            of: database, in: File.folder(of: path), now: now, progress)
        let size = draft.size
        guard try draft.name(File.name(of: path), replacing: replacing) else { return nil }
        return Backup(path: path, byteCount: size, summary: summary)
    }

    /// Writes a verified copy to a stream. The copy is made in the folder of the database, and removed afterwards.
    package static func write(
        of database: String, to stream: StandardStream, now: Timestamp, progress: Progress = Progress()
    ) throws -> Backup {
        try SQLiteStore.requireFile(database)
        let lock = try SQLiteStore.lock(database, waiting: .seconds(5))
        defer { withExtendedLifetime(lock) {} }
        let (draft, summary) = try verifiedDraft(
            of: database, in: File.folder(of: File.withoutLinks(database)), now: now, progress)
        progress.begin("writing the backup")
        try draft.copy(to: stream)
        return Backup(path: "-", byteCount: draft.size, summary: summary)
    }

    private static func verifiedDraft(
        of database: String, in folder: String, now: Timestamp, _ progress: Progress
    ) throws -> (DraftFile, DatabaseSummary) {
        let draft = try DraftFile(in: folder, kind: draftKind)
        try copy(database, to: draft.path, progress)
        progress.begin("verifying the backup")
        try draft.sync()
        let summary = try Connection(path: draft.path, access: .readOnly, followsLinks: false).inspect(at: now)
        return (draft, summary)
    }

    /// Copies in one read transaction, which does not block writers in WAL mode. `VACUUM INTO` leaves out deleted rows,
    /// and fails if a page of the source is damaged.
    private static func copy(_ database: String, to path: String, _ progress: Progress) throws {
        // The last connection to close removes the log, and needs write access for that.
        let source = try Connection(at: database, access: .readWrite)
        source.setBusyTimeout(milliseconds: 5000)
        // A damaged database stays unchanged, with its log.
        try source.keepLogOnClose(true)
        guard try Migrator(source).ownVersion() > 0 else { throw DatabaseFault("the database is empty: " + database) }
        let (size, count) = try (source.pageSize(), source.usedPageCount())
        progress.begin("copying the database", unit: "pages", total: count) {
            FileStatus.ifAny(at: path).map { $0.size / size }
        }
        try source.run("VACUUM INTO ?", .text(path))
        try source.keepLogOnClose(false)
    }
}

extension Connection {
    fileprivate func pageSize() throws(SQLiteError) -> Int64 {
        max(1, try first("PRAGMA page_size") { $0.integer(0) } ?? 1)
    }

    /// The pages that a backup contains: all but the free pages.
    fileprivate func usedPageCount() throws(SQLiteError) -> Int64 {
        let count = try first("PRAGMA page_count") { $0.integer(0) } ?? 0
        return count - (try first("PRAGMA freelist_count") { $0.integer(0) } ?? 0)
    }
}

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

/// The progress of a long operation on a database. The operation sets the current step, and a display
/// reads it from another thread.
package final class Progress: Sendable {
    private struct Step {
        let name: String
        let unit: String
        let total: Int64?
        let done: @Sendable () -> Int64?
    }

    private let step = Mutex<Step?>(nil)

    package init() {}

    /// Begins a step of unknown size.
    func begin(_ name: String) {
        begin(name, unit: "", total: nil) { nil }
    }

    /// - Parameters:
    ///   - total: nil if it is not known.
    ///   - done: the completed amount. The display calls it on its own thread.
    package func begin(_ name: String, unit: String, total: Int64?, done: @escaping @Sendable () -> Int64?) {
        step.withLock { $0 = Step(name: name, unit: unit, total: total, done: done) }
    }

    /// The current step, such as "copying the database: 1200 of 4000 pages"; nil before the first.
    package var text: String? {
        guard let step = step.withLock({ $0 }) else { return nil }
        guard let done = step.done() else { return step.name }
        guard let total = step.total else { return "\(step.name): \(done) \(step.unit)" }
        return "\(step.name): \(min(done, total)) of \(total) \(step.unit)"
    }
}
