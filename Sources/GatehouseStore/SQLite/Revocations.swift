import FileSystem
package import Gatehouse
import POSIX
import SQLite

extension SQLiteStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        try reading { try $0.revocations(after: place) }
    }

    package var revocationCounter: UInt64 { counter?.value ?? 0 }

    package func incrementRevocationCounter() { counter?.increment() }
}

extension Connection {
    fileprivate func revocations(after place: Int64) throws(SQLiteError) -> [Revocation] {
        try all(
            """
            SELECT r.place, r.moment, r.session_id, r.user_id, coalesce(u.role, 'USER'), coalesce(u.status, 'DELETED')
            FROM revocations r LEFT JOIN users u ON u.id = r.user_id WHERE r.place > ? ORDER BY r.place
            """,
            .integer(place)
        ) { row in try Revocation(row: row) }
    }
}

extension Revocation {
    fileprivate init(row: borrowing Row) throws {
        let subject: Subject =
            if let session = row.optionalText(2) {
                .session(SessionID(session))
            } else {
                .user(
                    UserID(row.text(3)),
                    UserState(role: try row.case(Role.self, at: 4), status: try row.case(UserStatus.self, at: 5)))
            }
        self.init(place: row.integer(0), moment: row.timestamp(1), subject: subject)
    }
}
