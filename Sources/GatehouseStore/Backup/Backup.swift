package import Gatehouse
import POSIX
import SQLite

/// A copy of a database that has been found good.
package struct Backup: Sendable {
    package let path: String
    package let byteCount: Int64
    package let summary: DatabaseSummary

    /// What the names of unfinished ones begin with.
    private static let draftKind = ".gatehouse-backup-"

    /// Copies a database beside a server that may be writing to it, and keeps nobody waiting. Nil, and nothing done, where
    /// something has the name already that is not to be replaced.
    ///
    /// The copy is one file: it gets its name when it is on the disk and has been read from there.
    package static func make(
        of database: String, at path: String, replacing: Bool, now: Timestamp
    ) throws -> Backup? {
        if !replacing, File.exists(path) { return nil }
        guard File.exists(database) else { throw StoreFailure("there is no database: " + database) }
        // A folder is not to be replaced by a file, nor can it be.
        guard FileStatus.ifAny(at: path)?.kind != .folder else { throw StoreFailure("is a folder: " + path) }
        let lock = try SQLiteStore.lock(database, waiting: .seconds(5))
        defer { withExtendedLifetime(lock) {} }
        let draft = try DraftFile(in: File.folder(of: path), kind: draftKind)
        try copy(database, to: draft.path)
        try draft.sync()
        let summary = try Connection(path: draft.path, access: .readOnly).inspect(at: now)
        let size = FileStatus.ifAny(at: draft.path)?.size ?? 0
        guard try draft.name(path, replacing: replacing) else { return nil }
        return Backup(path: path, byteCount: size, summary: summary)
    }

    /// By one read transaction, which the log lets writers write past. What was deleted is not in the copy, and reading
    /// every row finds damage of the source.
    private static func copy(_ database: String, to path: String) throws {
        // Not for reading alone: the last connection of all has to be able to tidy the log away.
        let source = try Connection(path: database, access: .readWrite)
        source.setBusyTimeout(milliseconds: 5000)
        // Of a damaged one everything stays as it is.
        try source.keepLogOnClose(true)
        guard try Migrator(source).ownVersion() > 0 else { throw DatabaseFault("the database is empty: " + database) }
        try source.run("VACUUM INTO ?", .text(path))
        try source.keepLogOnClose(false)
    }
}
