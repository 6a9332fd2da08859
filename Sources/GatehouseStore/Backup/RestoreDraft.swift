import Gatehouse
import POSIX
import SQLite

/// The database that is to come, while it is being made beside the one that is.
struct RestoreDraft {
    struct Content {
        let summary: DatabaseSummary
        let migrations: [String]
        let sessionsEnded: Int
    }

    let names: RestoreNames
    let now: Timestamp
    /// Who restores, for the audit trail.
    let operatorName: String?

    /// Copies the backup. It is the copy that is verified then, since it is the copy that will be served.
    func make(from source: borrowing RestoreSource) throws(POSIXError) {
        remove()
        let model = FileStatus.ifAny(at: names.database) ?? FileStatus.ifAny(at: File.folder(of: names.database))
        guard let model else { throw POSIXError("stat \(names.database)") }
        try File.copy(source.descriptor, to: names.draft, like: model)
    }

    /// Verifies it, brings it up to date, and enters into it that it has been restored.
    func prepare(endingSessions: Bool) throws -> Content {
        let connection = try Connection(at: names.draft, access: .readWrite)
        let summary = try connection.inspect(at: now)
        // One file, which a single step can put in its place.
        _ = try connection.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
        let migrations = try Migrator(connection).migrate()
        if !migrations.isEmpty { try connection.readAsServer() }
        try connection.run("BEGIN IMMEDIATE")
        try connection.insert(event(.databaseRestored, detail: summary.latest?.description))
        let ended = endingSessions ? try connection.revokeAll(now: now) : 0
        if ended > 0 { try connection.insert(event(.sessionsRevoked, count: Int64(ended))) }
        try connection.run("COMMIT")
        return Content(summary: summary, migrations: migrations, sessionsEnded: ended)
    }

    private func event(_ kind: AuditEvent.Kind, detail: String? = nil, count: Int64 = 1) -> AuditEvent {
        var event = AuditEvent(kind, at: now, by: .operator, detail: detail, count: count)
        event.operatorName = operatorName
        return event
    }

    func remove() {
        for end in ["", "-journal", "-wal", "-shm"] { try? File.remove(names.draft + end) }
    }
}
