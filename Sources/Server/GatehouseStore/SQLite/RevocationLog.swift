import FileSystem
package import Gatehouse
import POSIX
import SQL
import SQLite

extension SQLiteStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        try reading { try $0.revocations(after: place) }
    }

    package var revocationCounter: UInt64 { counter?.value ?? 0 }

    package func incrementRevocationCounter() { counter?.increment() }
}

extension Connection {
    fileprivate func revocations(after place: Int64) throws -> [Revocation] {
        try all(
            """
            SELECT r.place, \(revocationColumns), coalesce(u.role, 'USER'), coalesce(u.status, 'DELETED')
            FROM revocations r LEFT JOIN users u ON u.id = r.user_id WHERE r.place > ? ORDER BY r.place
            """,
            .integer(place)
        ) { row in
            let state = UserState(role: try row.case(Role.self, at: 4), status: try row.case(UserStatus.self, at: 5))
            return Revocation(row: row, state: state)
        }
    }
}
