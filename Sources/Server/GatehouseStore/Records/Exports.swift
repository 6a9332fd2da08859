package import Gatehouse
import SQL

extension RelationalStore {
    package func exportedUsers(after last: UserID?, limit: Int) throws(Refusal) -> [ExportedUser] {
        try reading { try $0.exportedUsers(after: last, limit: limit) }
    }
}

extension RecordConnection {
    fileprivate func exportedUsers(after last: UserID?, limit: Int) throws -> [ExportedUser] {
        let users = try all(
            """
            SELECT u.id, \(userColumns), u.last_login_at FROM users u
            WHERE u.id > coalesce(?1, '') AND u.status <> 'DELETED' ORDER BY u.id LIMIT ?2
            """,
            .optional(last?.text), .integer(Int64(limit))
        ) { row in
            var columns = ColumnCounter()
            let id = UserID(row.text(columns.next()))
            return (user: try User(id, row: row, &columns), lastLoginAt: row.optionalTimestamp(columns.next()))
        }
        guard let first = users.first?.user.id, let final = users.last?.user.id else { return [] }
        let accounts = Dictionary(grouping: try accounts(ofUsersFrom: first, through: final), by: \.user)
        return users.map { user, lastLoginAt in
            ExportedUser(user: user, lastLoginAt: lastLoginAt, accounts: accounts[user.id]?.map(\.account) ?? [])
        }
    }
}
