import Gatehouse
import SQLite

extension Connection {
    func revocations(after place: Int64) throws(SQLiteError) -> [Revocation] {
        try all(
            """
            SELECT r.place, r.moment, r.session_id, r.user_id, coalesce(u.role, 'USER'), coalesce(u.status, 'DELETED')
            FROM revocations r LEFT JOIN users u ON u.id = r.user_id WHERE r.place > ? ORDER BY r.place
            """,
            .integer(place)
        ) { row throws(SQLiteError) in try Revocation(row: row) }
    }
}

extension Revocation {
    fileprivate init(row: borrowing Row) throws(SQLiteError) {
        let subject: Subject =
            if let session = row.optionalText(2) {
                .session(SessionID(session))
            } else {
                .user(
                    UserID(row.text(3)),
                    Standing(role: try row.case(Role.self, at: 4), status: try row.case(UserStatus.self, at: 5)))
            }
        self.init(place: row.integer(0), moment: Timestamp(milliseconds: row.integer(1)), subject: subject)
    }
}
