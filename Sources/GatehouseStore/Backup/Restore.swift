package import Gatehouse
import POSIX
import SQLite

/// Puts a backup in the place of a database, and keeps the database.
///
/// Whoever has the database open keeps this from happening, and while it happens nobody opens it. Nothing of the database
/// is touched before what replaces it lies beside it, verified and on the disk.
package struct Restore {
    private let names: RestoreNames
    private let file: String
    private let now: Timestamp

    /// - Parameter file: the backup.
    package init(of database: String, from file: String, now: Timestamp) {
        names = RestoreNames(database)
        self.file = file
        self.now = now
    }

    /// Whether one has been killed, or has failed, where the database must not be opened: another has to go on from there.
    package static func isCutOff(_ database: String) -> Bool { File.exists(RestoreNames(database).ready) }

    /// Throws a `RestoreRefusal` or a `DatabaseFault` where the answer is no, and anything else where something failed.
    package func run(endingSessions: Bool) throws -> Restored {
        try refuseUnsuitable()
        guard let lock = try DatabaseLock.alone(names.database) else {
            throw RestoreRefusal("a server or a command has the database open: stop it first, \(names.database)")
        }
        defer { withExtendedLifetime(lock) {} }
        let draft = RestoreDraft(names: names, now: now)
        do {
            try draft.make(from: file)
            let content = try draft.prepare(endingSessions: endingSessions)
            let old = OldDatabase(names: names)
            try old.gather()
            let gap = old.gap(at: now)
            let kept = try RestorePlacement(names: names, now: now).place()
            return Restored(
                path: names.database, kept: kept, summary: content.summary, migrations: content.migrations,
                sessionsEnded: content.sessionsEnded, gap: gap)
        } catch {
            draft.remove()
            throw error
        }
    }

    private func refuseUnsuitable() throws {
        guard let status = FileStatus.ifAny(at: file) else { throw StoreFailure("there is no such file: " + file) }
        guard status.kind == .file else { throw RestoreRefusal("is no file: " + file) }
        if let current = FileStatus.ifAny(at: names.database), current.isSameFile(as: status) {
            throw RestoreRefusal("is the database itself: " + file)
        }
        for log in ["-wal", "-journal"] where (FileStatus.ifAny(at: file + log)?.size ?? 0) > 0 {
            throw RestoreRefusal(
                "is not all of a database, the rest is in \(file + log): make a backup of it, and restore that")
        }
    }
}
