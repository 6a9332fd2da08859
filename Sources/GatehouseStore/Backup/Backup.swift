package import Gatehouse
package import POSIX
import SQLite

/// A copy of a database that has been found good.
package struct Backup: Sendable {
    /// `-` where it was written to a stream.
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
        if !replacing, (try? FileStatus(ofEntry: path)) != nil { return nil }
        try demandDatabase(database)
        // A folder is not to be replaced by a file, nor can it be.
        guard FileStatus.ifAny(at: path)?.kind != .folder else { throw StoreFailure("is a folder: " + path) }
        let lock = try SQLiteStore.lock(database, waiting: .seconds(5))
        defer { withExtendedLifetime(lock) {} }
        let (draft, summary) = try verifiedDraft(of: database, in: File.folder(of: path), now: now)
        let size = draft.size
        guard try draft.name(File.name(of: path), replacing: replacing) else { return nil }
        return Backup(path: path, byteCount: size, summary: summary)
    }

    /// Writes a copy to a stream, once it has been found good. Until then it lies beside the database, and afterwards it is
    /// removed.
    package static func write(of database: String, to stream: StandardStream, now: Timestamp) throws -> Backup {
        try demandDatabase(database)
        let lock = try SQLiteStore.lock(database, waiting: .seconds(5))
        defer { withExtendedLifetime(lock) {} }
        let (draft, summary) = try verifiedDraft(
            of: database, in: File.folder(of: File.withoutLinks(database)), now: now)
        try draft.copy(to: stream)
        return Backup(path: "-", byteCount: draft.size, summary: summary)
    }

    private static func demandDatabase(_ path: String) throws(StoreFailure) {
        guard File.exists(path) else { throw StoreFailure("there is no database: " + path) }
    }

    private static func verifiedDraft(
        of database: String, in folder: String, now: Timestamp
    ) throws -> (DraftFile, DatabaseSummary) {
        let draft = try DraftFile(in: folder, kind: draftKind)
        try copy(database, to: draft.path)
        try draft.sync()
        let summary = try Connection(path: draft.path, access: .readOnly, followsLinks: false).inspect(at: now)
        return (draft, summary)
    }

    /// By one read transaction, which the log lets writers write past. What was deleted is not in the copy, and reading
    /// every row finds damage of the source.
    private static func copy(_ database: String, to path: String) throws {
        // Not for reading alone: the last connection of all has to be able to tidy the log away.
        let source = try Connection(at: database, access: .readWrite)
        source.setBusyTimeout(milliseconds: 5000)
        // Of a damaged one everything stays as it is.
        try source.keepLogOnClose(true)
        guard try Migrator(source).ownVersion() > 0 else { throw DatabaseFault("the database is empty: " + database) }
        try source.run("VACUUM INTO ?", .text(path))
        try source.keepLogOnClose(false)
    }
}
