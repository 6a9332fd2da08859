import Gatehouse
import PostgreSQL
import SQL
import SQLite

// Triggers add to the log, so that no statement that ends a session, or changes a role or a status, can forget it:
// `session_revoked`, `session_removed`, `user_standing_changed`, `guest_ended` and `user_removed`. On PostgreSQL they also notify the other
// nodes. The statements are in `Sessions.swift`, `Refreshes.swift` (`writeEnd`), `SessionLimit.swift`, `Users.swift`
// (`anonymise`) and `Operators.swift`; no statement of Gatehouse deletes a user. No trigger adds the entry of a user who
// loses their phone number, or whose attributes change.

/// The columns of an entry `r` of the revocation log, after its place, in the order in which `Revocation.init(row:)` reads
/// them.
private let revocationColumns = "r.moment, r.session_id, r.user_id"

extension SQLite.Connection {
    func revocations(after place: Int64) throws -> [Revocation] {
        try all(
            """
            SELECT r.place, \(revocationColumns), coalesce(u.role, 'USER'), coalesce(u.status, 'DELETED'),
                CASE WHEN u.phone IS NULL THEN 0 ELSE 1 END, CASE WHEN u.guest_key IS NULL THEN 0 ELSE 1 END,
                coalesce(u.attributes, '{}')
            FROM revocations r LEFT JOIN users u ON u.id = r.user_id WHERE r.place > ? ORDER BY r.place
            """,
            .integer(place)
        ) { row in
            let state = UserState(
                role: try row.case(Role.self, at: 4), status: try row.case(UserStatus.self, at: 5),
                hasPhone: row.integer(6) == 1, isGuest: row.integer(7) == 1,
                attributes: Attributes(canonical: row.text(8)))
            return Revocation(row: row, state: state)
        }
    }
}

extension RecordConnection {
    /// Makes each node look at the user again, whose access tokens may contain something that has changed: that the user has a
    /// number, or attributes.
    func logChange(of user: UserID) throws {
        try send("INSERT INTO revocations (moment, user_id) VALUES (\(Self.clock), ?)", .text(user.text))
    }
}

extension PostgreSQL.Connection {
    /// An earlier transaction can commit later. So an entry is returned again until all transactions before its own
    /// have ended. If the place is not below the oldest running transaction, the database was replaced by an older copy of
    /// itself, and the whole log is read.
    func revocations(after place: Int64) throws -> [Revocation] {
        try all(
            """
            SELECT least(r.transaction, now.oldest - 1), \(revocationColumns)
            FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest) AS now, revocations r
            WHERE r.transaction > CASE WHEN ?1 < now.oldest THEN ?1 ELSE 0 END ORDER BY r.transaction, r.place
            """,
            .integer(place)
        ) { row in Revocation(row: row) }
    }
}

extension Revocation {
    fileprivate init(row: borrowing any SQLRow & ~Copyable, state: UserState? = nil) {
        let subject: Subject =
            if let session = row.optionalText(2) {
                .session(SessionID(session))
            } else {
                .user(UserID(row.text(3)), state)
            }
        self.init(place: row.integer(0), moment: row.timestamp(1), subject: subject)
    }
}
