import Gatehouse
import SQLite

extension Connection {
    /// The disabled user from whom an identity was taken; nil where it is not barred.
    func owner(ofBarred hashes: [[UInt8]]) throws(SQLiteError) -> UserID? {
        for hash in hashes {
            let owner = try first("SELECT user_id FROM barred_identities WHERE hash = ?", .blob(hash)) { row in
                UserID(row.text(0))
            }
            if let owner { return owner }
        }
        return nil
    }

    /// Has an identity of a disabled user recognised when it comes back under any of these names.
    func bar(_ hashes: [[UInt8]], of user: UserID, now: Timestamp) throws(SQLiteError) {
        for hash in hashes {
            try run(
                "INSERT INTO barred_identities (hash, user_id, moment) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
                .blob(hash), .text(user.text), .integer(now.milliseconds))
        }
    }

    /// Lets the identities in again that were taken from a user. False where there are none.
    func unbar(_ user: UserID) throws(SQLiteError) -> Bool {
        try run("DELETE FROM barred_identities WHERE user_id = ?", .text(user.text)) > 0
    }
}
