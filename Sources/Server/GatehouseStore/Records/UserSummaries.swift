package import Gatehouse
import SQL

private let summaryByID = "SELECT \(userColumns), u.updated_at, u.last_login_at FROM users u WHERE u.id = ?"

extension RelationalStore {
    package func summaries(of ids: [UserID]) throws(Refusal) -> [UserSummary] {
        try reading { connection in
            try ids.compactMap { id in
                try connection.first(summaryByID, .text(id.text)) { row in
                    var columns = ColumnCounter()
                    return UserSummary(
                        user: try User(id, row: row, &columns), updatedAt: row.timestamp(columns.next()),
                        lastLoginAt: row.optionalTimestamp(columns.next()))
                }
            }
        }
    }
}
