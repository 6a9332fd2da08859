import FileSystem

/// A database file that is missing or empty although there was a database.
///
/// Its disk is not mounted, or it was removed or moved away. An empty database in its place would have no user, and every
/// client would sign its user out, while the server reports that it is ready.
package struct MissingDatabase: Error, Sendable, CustomStringConvertible {
    let path: String
    /// The file that says that there was a database.
    package let evidence: String

    /// Nil if a database is there, or if there never was one.
    ///
    /// - Parameter mark: a file outside of the folder that says so; nil if there is none.
    package init?(at path: String, mark: String?) {
        guard !Self.hasContent(path) else { return nil }
        // Every server makes this file beside its database. It is left when the database alone is removed.
        let marks = [mark, path + "-sign"].compactMap { $0 }.filter { !File.isMissing($0) }
        // SQLite would remove a log that lies beside an empty database.
        let log = [path + "-wal"].filter(Self.hasContent)
        guard let evidence = (log + marks).first else { return nil }
        self.path = path
        self.evidence = evidence
    }

    /// A file that this user cannot look up may have content: opening it reports that.
    private static func hasContent(_ path: String) -> Bool {
        if let status = FileStatus.ifAny(at: path) { return status.size > 0 }
        return !File.isMissing(path)
    }

    package var description: String {
        "the database \(path) is missing or empty, but there was one (\(evidence)): \(Self.advice)"
    }

    package static let advice =
        "mount its disk, correct DATABASE_URL, or restore a backup; to begin with an empty database, in which every user is "
        + "new, run gatehouse migrate --create"
}
