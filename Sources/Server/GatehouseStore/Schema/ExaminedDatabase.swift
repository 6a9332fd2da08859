package import Gatehouse
import SQL

/// A database that an operator's command examines while servers may use it. Nothing is changed.
package protocol ExaminedDatabase {
    func schema() throws -> SchemaState

    func document(_ name: String) throws -> Document?

    /// The time of the newest row.
    func newestMoment() throws -> Timestamp?

    /// The last time that the server has stored in a database without a clock; nil if it has stored none.
    func lastKnownTime() throws -> KnownTime?

    /// The phone numbers that accounts have, after a number.
    func numbers(after last: String, limit: Int) throws -> [String]

    /// The outbox of each receiver of events.
    func receiverStates() throws -> [ReceiverState]

    /// The role of the user who signs in with codes to this address; nil without one.
    func role(of address: CodeAddress) throws -> Role?

    /// The number of active users without a phone number.
    func usersWithoutPhone() throws -> Int

    /// The RP id of the passkeys; nil if there are none.
    func rpIDOfPasskeys() throws -> String?

    /// The number of encrypted values by their first bytes, which identify the key. Nothing is decrypted.
    ///
    /// - Parameter headByteCount: the number of bytes that identify a key.
    func sealedValues(byFirst headByteCount: Int) throws -> [(head: [UInt8], count: Int)]
}

extension ExaminedDatabase {
    package func lastKnownTime() throws -> KnownTime? {
        try document(DocumentName.lastKnownTime).map { KnownTime(document: $0) }
    }
}

/// The schema of a database, compared with the schema of this program.
package enum SchemaState: Sendable, Equatable {
    case current
    case older(found: Int, known: Int)
    /// A newer program has migrated it, and this program can keep working.
    case newerButUsable(found: Int, known: Int)
    case newer(found: Int, known: Int)
    case foreign
    /// A move into this database was not finished, so no server starts with it.
    case moving(from: String)
}

/// Why this program cannot use the schema of a database.
package enum SchemaFault: Error, Equatable, CustomStringConvertible {
    case databaseIsNewer(found: Int, known: Int)
    case databaseIsForeign

    package var description: String {
        switch self {
        case .databaseIsNewer(let found, let known):
            "the database has schema \(found), but this program knows only up to \(known): run a newer one"
        case .databaseIsForeign: "the database was not made by this program"
        }
    }
}

extension RecordConnection {
    func newestMoment() throws -> Timestamp? {
        try moments(
            "SELECT created_at FROM users ORDER BY id DESC LIMIT 1",
            "SELECT moment FROM audit_events ORDER BY id DESC LIMIT 1", "SELECT max(updated_at) FROM documents"
        ).max()
    }

    func role(of address: CodeAddress) throws -> Role? {
        try first(
            """
            SELECT role FROM users JOIN auth_accounts ON user_id = users.id
            WHERE auth_accounts.provider = ? AND provider_user_id = ?
            """, .text(address.channel.provider.rawValue), .text(address.text)
        ) { Role(rawValue: $0.text(0)) ?? .superAdmin }
    }

    func usersWithoutPhone() throws -> Int {
        let query = "SELECT count(*) FROM users WHERE status = 'ACTIVE' AND phone IS NULL AND guest_key IS NULL"
        return Int(try first(query) { $0.integer(0) } ?? 0)
    }

    /// The times that these queries return, without NULL.
    func moments(_ queries: String...) throws -> [Timestamp] {
        try queries.compactMap { try first($0) { $0.optionalTimestamp(0) } ?? nil }
    }

    func numbers(after last: String, limit: Int) throws -> [String] {
        try all(
            """
            SELECT provider_user_id FROM auth_accounts WHERE provider = 'PHONE' AND provider_user_id > ?1
            ORDER BY provider_user_id LIMIT ?2
            """, .text(last), .integer(Int64(limit))
        ) { $0.text(0) }
    }

    func sealedValues(byFirst headByteCount: Int) throws -> [(head: [UInt8], count: Int)] {
        try all(
            """
            SELECT substr(value, 1, ?1), count(*) FROM (
                SELECT refresh_token AS value FROM auth_accounts WHERE refresh_token IS NOT NULL
                UNION ALL SELECT secret FROM apple_tasks) AS sealed
            GROUP BY 1 ORDER BY 1
            """, .integer(Int64(headByteCount))
        ) { row in (row.blob(0), Int(row.integer(1))) }
    }
}
