import Gatehouse
import POSIX

/// What the files are called that a restore makes beside a database.
struct RestoreNames {
    /// The database itself, where every link to it has been followed.
    let database: String
    /// Being made.
    var draft: String { database + "-restoring" }
    /// Made, and about to take the place of a database that must not be opened any more.
    var ready: String { database + "-restored" }

    init(_ path: String) {
        database = File.resolved(path)
    }

    /// What the database is called from then on: by the first second that is not taken.
    func kept(at moment: Timestamp) -> String {
        let name = database + "-before-" + moment.forNames
        return FileStatus.ifAny(at: name) == nil ? name : kept(at: moment + .seconds(1))
    }

    func isKept(_ name: String) -> Bool {
        name.hasPrefix(File.name(of: database) + "-before-") && !name.hasSuffix("-wal") && !name.hasSuffix("-journal")
    }
}
