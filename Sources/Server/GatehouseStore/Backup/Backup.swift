package import FileSystem
package import Gatehouse
import POSIX
import SQL
import SQLite

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
        guard try SQLiteMigrator(source).ownVersion() > 0 else {
            throw DatabaseFault("the database is empty: " + database)
        }
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
