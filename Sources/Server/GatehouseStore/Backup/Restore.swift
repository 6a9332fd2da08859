import FileSystem
package import Gatehouse
import SQL
import SQLite

/// Replaces a database by a backup, and keeps the old database under another name.
///
/// Requires that no other process has the database open, and prevents that any opens it. The old database stays in
/// place until its replacement lies beside it, verified and synced to the disk.
package struct Restore: ~Copyable {
    private let names: RestoreNames
    private let source: RestoreSource
    private let now: Timestamp
    private let operatorName: String?

    /// - Parameter operatorName: for the audit trail.
    package init(
        of database: String, from source: consuming RestoreSource, now: Timestamp, operatorName: String? = nil
    ) {
        names = RestoreNames(database)
        self.source = source
        self.now = now
        self.operatorName = operatorName
    }

    /// Whether a restore was killed or failed at a point where the database must not be opened. Another restore
    /// continues from there.
    package static func isInterrupted(_ database: String) -> Bool { File.exists(RestoreNames(database).ready) }

    /// Throws a `RestoreRefusal` or a `DatabaseFault` if the restore cannot begin with this backup or this database,
    /// and any other error if a step failed.
    package func run(endingSessions: Bool, progress: Progress = Progress()) throws -> Restored {
        try source.validate(for: names.database)
        guard let lock = try DatabaseLock.exclusive(names.database) else {
            throw RestoreRefusal("a server or a command has the database open, stop it first: \(names.database)")
        }
        defer { withExtendedLifetime(lock) {} }
        guard !UnfinishedMove.exists(at: names.database) else {
            throw RestoreRefusal(UnfinishedMove.advice(for: names.database))
        }
        let draft = RestoreDraft(names: names, now: now, operatorName: operatorName, progress: progress)
        do {
            try draft.copy(source)
            let content = try draft.prepare(endingSessions: endingSessions)
            let old = OldDatabase(names: names)
            try old.mergeLog()
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

/// The reason why a restore was not begun, and what to do about it.
package struct RestoreRefusal: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The result of a restore.
package struct Restored: Sendable {
    /// The path of the database.
    package let path: String
    /// The path of the old database; nil if there was none.
    package let kept: String?
    /// The contents of the backup, before any session was ended.
    package let summary: DatabaseSummary
    /// The migrations that were applied to the backup.
    package let migrations: [String]
    package let sessionsEnded: Int
    /// Nil if there was no old database, or if it cannot be read.
    package let gap: RestoreGap?
}

/// The changes in the old database that the restore undid.
package struct RestoreGap: Sendable, Equatable {
    /// Sessions that had ended since the backup, and are active again.
    package let sessionsRevived: Int64
    /// Sessions that were refreshed since the backup: their clients hold a later refresh token and have to sign in.
    package let sessionsBehind: Int64
    /// Users who were deleted or disabled since the backup, and are active again.
    package let usersRevived: Int64
    /// Users who were created since the backup, and are lost.
    package let usersLost: Int64
}

extension Connection {
    /// Compares this database with the one that will replace it.
    func gap(to restored: String, at now: Timestamp) throws(SQLiteError) -> RestoreGap {
        try run("ATTACH ? AS restored", .text(restored))
        return RestoreGap(
            sessionsRevived: try count(
                """
                restored.refresh_tokens r WHERE r.revoked_at IS NULL AND r.expires_at > \(now.milliseconds)
                AND NOT EXISTS (SELECT 1 FROM main.refresh_tokens o WHERE o.id = r.id AND o.revoked_at IS NULL)
                AND EXISTS (SELECT 1 FROM main.users u WHERE u.id = r.user_id)
                """),
            sessionsBehind: try count(
                """
                restored.refresh_tokens r JOIN main.refresh_tokens o ON o.id = r.id
                WHERE o.generation > r.generation AND o.revoked_at IS NULL AND o.expires_at > \(now.milliseconds)
                """),
            usersRevived: try count(
                """
                restored.users r JOIN main.users o ON o.id = r.id
                WHERE r.status = 'ACTIVE' AND o.status <> 'ACTIVE'
                """),
            usersLost: try count(
                """
                main.users o WHERE o.status <> 'DELETED'
                AND NOT EXISTS (SELECT 1 FROM restored.users r WHERE r.id = o.id)
                """))
    }
}
