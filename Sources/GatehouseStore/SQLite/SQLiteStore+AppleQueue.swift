package import Gatehouse
import SQLite

extension SQLiteStore: AppleQueue {
    package func takeAppleTask(now: Timestamp) throws(StoreFailure) -> AppleTask? {
        // Asked every second, and nearly always for nothing: that needs no writer.
        let isDue = try reading { connection throws(SQLiteError) in
            try connection.first("SELECT 1 FROM apple_tasks WHERE due_at <= ?", .integer(now.milliseconds)) { _ in true
            }
        }
        guard isDue != nil else { return nil }
        return try writing { connection throws(SQLiteError) in try connection.takeAppleTask(now: now) }
    }

    package func finish(_ task: AppleTask) throws(StoreFailure) {
        try writing { connection throws(SQLiteError) in try connection.delete(task) }
    }

    package func finish(
        _ exchange: AppleTask, with sealedToken: [UInt8], of subject: String, now: Timestamp
    ) throws(StoreFailure) {
        try writing { connection throws(SQLiteError) in
            try connection.delete(exchange)
            let isKept = try connection.keep(
                sealedToken, for: exchange.clientID, of: exchange.userID, subject: subject)
            guard !isKept else { return }
            // Somebody else's code, passed off as the user's own: what it gives stays theirs.
            let owner = try connection.owner(of: Identity(provider: .apple, subject: subject, email: nil))
            let isSomebodyElse = try connection.hasAccount(exchange.userID, of: .apple)
            guard owner == nil, !isSomebodyElse else { return }
            try connection.insert(
                AppleTask(
                    kind: .revoke, userID: exchange.userID, clientID: exchange.clientID, sealed: sealedToken,
                    dueAt: now))
        }
    }

    package func appleTasks() throws(StoreFailure) -> Int {
        try reading { connection throws(SQLiteError) in
            try connection.first("SELECT count(*) FROM apple_tasks") { row in Int(row.integer(0)) } ?? 0
        }
    }
}
