import FileSystem
import Gatehouse
import POSIX
import SQL
import SQLite

/// The backup that a restore reads. It is opened once and read from that descriptor alone, because a command that runs
/// as root opens it before it gives up root.
package struct RestoreSource: ~Copyable {
    let descriptor: FileDescriptor
    let name: String
    /// A non-empty log beside the file. The file is then only a part of a database.
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

    /// Nil for standard input.
    func size() throws(POSIXError) -> Int64? { isStream ? nil : try FileStatus(of: descriptor).size }

    /// Throws a `RestoreRefusal` if this is not a complete file, or the database itself.
    func validate(for database: String) throws {
        let status = try FileStatus(of: descriptor)
        guard isStream || status.kind == .file else {
            throw RestoreRefusal("\(name) is not a regular file: name a backup")
        }
        if let current = FileStatus.ifAny(at: database), current.isSameFile(as: status) {
            throw RestoreRefusal("\(name) is the database itself: name a backup")
        }
        guard let log else { return }
        throw RestoreRefusal(
            "\(name) is only a part of a database, the rest is in \(log): make a backup of it, and restore that")
    }
}

/// The names of the files that a restore creates beside a database.
struct RestoreNames {
    /// The path of the database, with all links resolved.
    let database: String
    /// The replacement while it is being prepared.
    var draft: String { database + "-restoring" }
    /// The prepared replacement. While this file exists, the database must not be opened.
    var ready: String { database + "-restored" }

    init(_ path: String) {
        database = File.resolved(path)
    }

    /// The new name of the old database, with the first second that is not in use.
    func kept(at moment: Timestamp) -> String {
        let name = database + "-before-" + moment.inFileNames
        return FileStatus.ifAny(at: name) == nil ? name : kept(at: moment + .seconds(1))
    }

    func isKept(_ name: String) -> Bool {
        name.hasPrefix(File.name(of: database) + "-before-") && !name.hasSuffix("-wal") && !name.hasSuffix("-journal")
    }
}

/// The replacement of a database, prepared in a file beside it.
struct RestoreDraft {
    struct Content {
        let summary: DatabaseSummary
        let migrations: [String]
        let sessionsEnded: Int
    }

    let names: RestoreNames
    let now: Timestamp
    /// For the audit trail.
    let operatorName: String?
    let progress: Progress

    /// Copies the backup, with the owner and the permissions of the database. The copy is verified and not the backup,
    /// because the server will use the copy.
    func copy(_ source: borrowing RestoreSource) throws(POSIXError) {
        remove()
        let model = FileStatus.ifAny(at: names.database) ?? FileStatus.ifAny(at: File.folder(of: names.database))
        guard let model else { throw POSIXError("stat \(names.database)") }
        let draft = names.draft
        progress.begin("copying the backup", unit: "MiB", total: try source.size().map { $0 >> 20 }) {
            FileStatus.ifAny(at: draft).map { $0.size >> 20 }
        }
        try File.copy(source.descriptor, to: names.draft, like: model)
    }

    /// Verifies the copy, migrates it, and records the restore in its audit trail.
    func prepare(endingSessions: Bool) throws -> Content {
        let connection = try Connection(at: names.draft, access: .readWrite)
        progress.begin("verifying the backup")
        let summary = try connection.inspect(at: now)
        // Without a log the database is a single file, which one rename can put in place.
        _ = try connection.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
        let migrations = try SQLiteMigrator(connection).migrate(progress: progress)
        if !migrations.isEmpty { try connection.readAsServer() }
        try connection.run("BEGIN IMMEDIATE")
        try connection.insert(event(.databaseRestored, detail: summary.latest?.description))
        let ended = endingSessions ? try connection.revokeAll(now: now) : 0
        if ended > 0 { try connection.insert(event(.sessionsRevoked, count: Int64(ended))) }
        try connection.run("COMMIT")
        return Content(summary: summary, migrations: migrations, sessionsEnded: ended)
    }

    private func event(_ kind: AuditEntry.Kind, detail: String? = nil, count: Int64 = 1) -> AuditEntry {
        var event = AuditEntry(kind, at: now, by: .operator, detail: detail, count: count)
        event.operatorName = operatorName
        return event
    }

    func remove() {
        for suffix in ["", "-journal", "-wal", "-shm"] { try? File.remove(names.draft + suffix) }
    }
}

/// The database that is replaced. It may be damaged.
struct OldDatabase {
    let names: RestoreNames

    /// Merges the log into the database file, if the database can be read. Throws if another program has the database
    /// open, because SQLite needs exclusive access for this; this also finds programs that do not use `DatabaseLock`.
    func mergeLog() throws(RestoreRefusal) {
        // After an interrupted restore, the file and its log may be separated: keep them unchanged.
        guard File.exists(names.database), !File.exists(names.ready) else { return }
        do throws(SQLiteError) {
            let connection = try Connection(at: names.database, access: .readWrite)
            // The log of a damaged database is kept as well, even if SQLite cannot read it.
            try connection.keepLogOnClose(true)
            _ = try connection.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
        } catch {
            guard !error.isBusy else {
                throw RestoreRefusal(
                    "another program (Litestream, a shell) has the database open, stop it first: \(names.database)")
            }
        }
    }

    /// Nil if there is no old database that can be read.
    func gap(at now: Timestamp) -> RestoreGap? {
        guard File.exists(names.database), !File.exists(names.ready),
            let connection = try? Connection(at: names.database, access: .readOnly),
            (try? connection.keepLogOnClose(true)) != nil
        else { return nil }
        return try? connection.gap(to: names.draft, at: now)
    }
}

/// Puts a prepared replacement in the place of the database. A crash between any two steps leaves the old database in
/// place, or the new one, or a state in which neither can be opened and another restore continues.
struct RestorePlacement {
    /// Logs that belong to a database whose log could not be merged.
    private static let logs = ["-wal", "-journal"]

    let names: RestoreNames
    let now: Timestamp

    /// Returns the new path of the old database; nil if there was none.
    func place() throws(POSIXError) -> String? {
        let folder = File.folder(of: names.database)
        let isContinued = File.exists(names.ready)
        // From this rename on the database must not be opened. Its file and its log are about to be separated: SQLite
        // would treat the file alone as complete, or apply the old log to the new database.
        try File.rename(names.draft, to: names.ready)
        try File.syncFolder(folder)
        let kept: String?
        do throws(POSIXError) {
            kept = try keepOld(in: folder)
            try File.syncFolder(folder)
        } catch {
            // This restore has removed nothing yet, but an interrupted one may have.
            if !isContinued { try? File.remove(names.ready) }
            throw error
        }
        for suffix in Self.logs + ["-shm"] { try File.remove(names.database + suffix) }
        try File.syncFolder(folder)
        try File.rename(names.ready, to: names.database)
        try File.syncFolder(folder)
        return kept
    }

    /// Links the old database and its logs to a second name.
    private func keepOld(in folder: String) throws(POSIXError) -> String? {
        guard let old = FileStatus.ifAny(at: names.database) else { return nil }
        // An interrupted restore may have linked the database already, and removed its logs.
        let earlier = try File.names(in: folder).filter(names.isKept).map { folder + "/" + $0 }
            .first { FileStatus.ifAny(at: $0)?.isSameFile(as: old) == true }
        let kept = earlier ?? names.kept(at: now)
        if earlier == nil { try File.link(names.database, as: kept) }
        for log in Self.logs where FileStatus.ifAny(at: names.database + log) != nil && !File.exists(kept + log) {
            try File.link(names.database + log, as: kept + log)
        }
        return kept
    }
}
