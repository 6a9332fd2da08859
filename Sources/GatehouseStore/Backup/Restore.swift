package import Gatehouse
import POSIX
import SQLite

/// Puts a backup in the place of a database, and keeps the database.
///
/// Whoever has the database open keeps this from happening, and while it happens nobody opens it. Nothing of the database
/// is touched before what replaces it lies beside it, verified and on the disk.
package struct Restore: ~Copyable {
    private let names: RestoreNames
    private let source: RestoreSource
    private let now: Timestamp
    private let operatorName: String?

    /// - Parameter operatorName: who restores, for the audit trail.
    package init(
        of database: String, from source: consuming RestoreSource, now: Timestamp, operatorName: String? = nil
    ) {
        names = RestoreNames(database)
        self.source = source
        self.now = now
        self.operatorName = operatorName
    }

    /// Whether one has been killed, or has failed, where the database must not be opened: another has to go on from there.
    package static func isCutOff(_ database: String) -> Bool { File.exists(RestoreNames(database).ready) }

    /// Throws a `RestoreRefusal` or a `DatabaseFault` where the answer is no, and anything else where something failed.
    package func run(endingSessions: Bool) throws -> Restored {
        try source.refuseUnsuitable(for: names.database)
        guard let lock = try DatabaseLock.alone(names.database) else {
            throw RestoreRefusal("a server or a command has the database open: stop it first, \(names.database)")
        }
        defer { withExtendedLifetime(lock) {} }
        let draft = RestoreDraft(names: names, now: now, operatorName: operatorName)
        do {
            try draft.make(from: source)
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
}
