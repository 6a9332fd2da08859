import Gatehouse
import SQL

extension RecordConnection {
    /// The disabled user who had an identity that is barred; nil when it is not barred.
    func owner(ofBarred hashes: [[UInt8]]) throws -> UserID? {
        for hash in hashes {
            let owner = try first("SELECT user_id FROM barred_identities WHERE hash = ?", .blob(hash)) { row in
                UserID(row.text(0))
            }
            if let owner { return owner }
        }
        return nil
    }

    /// Bars an identity of a disabled user under all of its hashes.
    func bar(_ hashes: [[UInt8]], of user: UserID, now: Timestamp) throws {
        for hash in hashes {
            try send(
                "INSERT INTO barred_identities (hash, user_id, moment) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
                .blob(hash), .text(user.text), .integer(now.milliseconds))
        }
    }

    /// Unbars the identities of a user. False when there are none.
    func unbar(_ user: UserID) throws -> Bool {
        try run("DELETE FROM barred_identities WHERE user_id = ?", .text(user.text)) > 0
    }
}
