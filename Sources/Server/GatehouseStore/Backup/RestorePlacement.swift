import FileSystem
import Gatehouse
import POSIX
import SQL
import SQLite

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
