import Gatehouse
import POSIX

/// Puts a finished draft into its place. A crash between any two steps leaves the old database in its place, or the new
/// one, or a state in which nobody opens either and a repeated restore goes on.
struct RestorePlacement {
    /// What may be left of a database that could not be gathered, and is a part of it.
    private static let logs = ["-wal", "-journal"]

    let names: RestoreNames
    let now: Timestamp

    /// Where the old database is then; nil where there was none.
    func place() throws(POSIXError) -> String? {
        let folder = File.folder(of: names.database)
        let isSecond = File.exists(names.ready)
        // From here on the database is not opened: it and its log are about to be parted, and SQLite would take what is left
        // of one for all of it, or the old log for the new database's.
        try File.rename(names.draft, to: names.ready)
        try File.syncFolder(folder)
        let kept: String?
        do throws(POSIXError) {
            kept = try keepOld(in: folder)
            try File.syncFolder(folder)
        } catch {
            // Nothing has been taken away yet, but perhaps by a restore that was cut off.
            if !isSecond { try? File.remove(names.ready) }
            throw error
        }
        for end in Self.logs + ["-shm"] { try File.remove(names.database + end) }
        try File.syncFolder(folder)
        try File.rename(names.ready, to: names.database)
        try File.syncFolder(folder)
        return kept
    }

    /// Gives the old database, and what is left of its log, a second name.
    private func keepOld(in folder: String) throws(POSIXError) -> String? {
        guard let old = FileStatus.ifAny(at: names.database) else { return nil }
        // A restore that was cut off may have done it already, and have taken away the log since.
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
