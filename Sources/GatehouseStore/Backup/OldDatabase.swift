import Gatehouse
import POSIX
import SQLite

/// The database that is to be replaced, which may be damaged.
struct OldDatabase {
    let names: RestoreNames

    /// Brings all of it into its one file, as far as that can be done. SQLite does so only for who has the database
    /// alone, so this also finds the programs that know nothing of our lock. Throws where there is one.
    func gather() throws(RestoreRefusal) {
        // What a restore that was cut off has left is in pieces, and is kept as it is.
        guard File.exists(names.database), !File.exists(names.ready) else { return }
        do throws(SQLiteError) {
            let connection = try Connection(at: names.database, access: .readWrite)
            // Of a damaged one nothing is to be lost, not even what SQLite makes nothing of.
            try connection.keepLogOnClose(true)
            _ = try connection.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
        } catch {
            guard !error.isBusy else {
                throw RestoreRefusal(
                    "another program has the database open: stop it first (Litestream, a shell), \(names.database)")
            }
        }
    }

    /// Nil where there is nothing to compare with.
    func gap(at now: Timestamp) -> RestoreGap? {
        guard File.exists(names.database), !File.exists(names.ready),
            let connection = try? Connection(at: names.database, access: .readOnly),
            (try? connection.keepLogOnClose(true)) != nil
        else { return nil }
        return try? connection.gap(to: names.draft, at: now)
    }
}
