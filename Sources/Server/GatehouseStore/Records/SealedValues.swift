package import Gatehouse
import SQL

/// A value that is encrypted with DATA_KEY, and its owner.
package struct SealedValue: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// Apple's refresh token of an account, by the account's id.
        case account(String)
        /// The secret of an Apple task, by the task's number.
        case task(Int64)
    }

    package let place: Place
    package let owner: UserID
    package let content: [UInt8]
}

extension RelationalStore {
    /// The next accounts in the order of their ids whose token does not begin with these bytes.
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

    /// The next Apple tasks in the order of their numbers whose secret does not begin with these bytes.
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
        _ query: String, after id: Value, notBeginningWith head: [UInt8], limit: Int,
        place: (borrowing any SQLRow & ~Copyable) -> SealedValue.Place
    ) throws(StoreFailure) -> [SealedValue] {
        try read { connection in
            try connection.all(
                query, id, .integer(Int64(head.count)), .blob(head), .integer(Int64(limit))
            ) { row in SealedValue(place: place(row), owner: UserID(row.text(1)), content: row.blob(2)) }
        }
    }

    /// Replaces values in one transaction, and removes those without a new one. A value that the server has changed
    /// meanwhile stays as it is. Returns how many were changed.
    package func replace(_ values: [(old: SealedValue, new: [UInt8]?)]) throws(StoreFailure) -> Int {
        guard !values.isEmpty else { return 0 }
        return try write { connection in
            var count = 0
            for (old, new) in values { count += try connection.replace(old, with: new) }
            return count
        }
    }

    /// Replaces a document unless the server has changed it meanwhile.
    package func replace(_ old: Document, with content: [UInt8], as name: String) throws(StoreFailure) {
        _ = try write {
            try $0.run(
                "UPDATE documents SET content = ? WHERE name = ? AND content = ?", .blob(content), .text(name),
                .blob(old.content))
        }
    }
}

extension RecordConnection {
    fileprivate func replace(_ old: SealedValue, with new: [UInt8]?) throws -> Int {
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
