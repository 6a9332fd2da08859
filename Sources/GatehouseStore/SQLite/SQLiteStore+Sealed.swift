package import Gatehouse
import SQLite

/// A value of the database that DATA_KEY has sealed, and whose it is.
package struct SealedValue: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// Apple's refresh token of an account, by the account's id.
        case account(String)
        /// What waits to be asked of Apple, by the task's number.
        case task(Int64)
    }

    package let place: Place
    package let owner: UserID
    package let content: [UInt8]
}

extension SQLiteStore {
    /// The next accounts, by their ids, whose token does not begin with these bytes.
    package func sealedAccounts(
        after id: String, notBeginningWith head: [UInt8], limit: Int
    ) throws(StoreFailure) -> [SealedValue] {
        try sealedValues(
            """
            SELECT id, user_id, refresh_token FROM auth_accounts
            WHERE id > ?1 AND refresh_token IS NOT NULL AND substr(refresh_token, 1, ?2) <> ?3
            ORDER BY id LIMIT ?4
            """, after: .text(id), notBeginningWith: head, limit: limit
        ) { .account($0.text(0)) }
    }

    /// The next tasks that wait to be asked of Apple, by their numbers, whose secret does not begin with these bytes.
    package func sealedTasks(
        after id: Int64, notBeginningWith head: [UInt8], limit: Int
    ) throws(StoreFailure) -> [SealedValue] {
        try sealedValues(
            """
            SELECT id, user_id, secret FROM apple_tasks
            WHERE id > ?1 AND substr(secret, 1, ?2) <> ?3 ORDER BY id LIMIT ?4
            """, after: .integer(id), notBeginningWith: head, limit: limit
        ) { .task($0.integer(0)) }
    }

    private func sealedValues(
        _ question: String, after id: Value, notBeginningWith head: [UInt8], limit: Int,
        place: (borrowing Row) -> SealedValue.Place
    ) throws(StoreFailure) -> [SealedValue] {
        try reading { connection throws(SQLiteError) in
            try connection.all(
                question, id, .integer(Int64(head.count)), .blob(head), .integer(Int64(limit))
            ) { row in SealedValue(place: place(row), owner: UserID(row.text(1)), content: row.blob(2)) }
        }
    }

    /// Replaces values in one transaction, or removes those that get none. One that the server has replaced or removed
    /// meanwhile stays as it is. Returns how many were changed.
    package func replace(_ values: [(old: SealedValue, new: [UInt8]?)]) throws(StoreFailure) -> Int {
        guard !values.isEmpty else { return 0 }
        return try writing { connection throws(SQLiteError) in
            var count = 0
            for (old, new) in values { count += try connection.replace(old, with: new) }
            return count
        }
    }

    /// Replaces a document, unless the server has replaced it meanwhile.
    package func replace(_ old: Document, with content: [UInt8], as name: String) throws(StoreFailure) {
        _ = try writing { connection throws(SQLiteError) in
            try connection.run(
                "UPDATE documents SET content = ? WHERE name = ? AND content = ?", .blob(content), .text(name),
                .blob(old.content))
        }
    }
}

extension Connection {
    fileprivate func replace(_ old: SealedValue, with new: [UInt8]?) throws(SQLiteError) -> Int {
        switch (old.place, new) {
        case (.account(let id), let new):
            try run(
                "UPDATE auth_accounts SET refresh_token = ? WHERE id = ? AND refresh_token = ?", .optional(new),
                .text(id), .blob(old.content))
        case (.task(let id), let new?):
            try run(
                "UPDATE apple_tasks SET secret = ? WHERE id = ? AND secret = ?", .blob(new), .integer(id),
                .blob(old.content))
        case (.task(let id), nil):
            try run("DELETE FROM apple_tasks WHERE id = ? AND secret = ?", .integer(id), .blob(old.content))
        }
    }
}

extension SQLiteFile {
    /// How many sealed values begin with which bytes, by which their key is known. Nothing is opened for that.
    ///
    /// - Parameter headByteCount: how many bytes name a key.
    package func sealedValues(byFirst headByteCount: Int) throws -> [(head: [UInt8], count: Int)] {
        let connection = try reader()
        return try connection.all(
            """
            SELECT substr(value, 1, ?), count(*) FROM (
                SELECT refresh_token AS value FROM auth_accounts WHERE refresh_token IS NOT NULL
                UNION ALL SELECT secret FROM apple_tasks)
            GROUP BY 1 ORDER BY 1
            """, .integer(Int64(headByteCount))
        ) { row in (row.blob(0), Int(row.integer(1))) }
    }
}
