package import Gatehouse
package import PostgreSQL
import SQL

/// Other transactions run at the same time, also on other nodes. Each statement here is sent together with the next
/// query, which sees the changes of all transactions that committed before it.
extension Connection: RecordConnection {
    package func lock(_ redemption: Redemption?, _ proof: ProofUse?) throws {
        // In a fixed order, so that two transactions do not wait for each other.
        for key in Self.lockKeys(redemption, proof).sorted() {
            try send("SELECT pg_advisory_xact_lock(?)", .integer(key))
        }
    }

    /// One lock for all messages: the limits that count them differ in what they count by.
    package func lockCodes() throws {
        try send("SELECT pg_advisory_xact_lock(?)", .integer(0x636F_6465_7300_0001))
    }

    package func lockSupport() throws {
        try send("SELECT pg_advisory_xact_lock(?)", .integer(0x7375_7070_6F72_7400))
    }

    /// The lock of the identity itself comes first: it may have no user yet, and two first logins must not create two
    /// users.
    package func lock(_ identity: Identity) throws {
        let values: [Value] = [.text(identity.provider.rawValue), .text(identity.subject)]
        // In a fixed order, and rows after all of them, so that two transactions do not wait for each other.
        if let union = identity.unionSubject {
            let key: [Value] = [values[0], .text(union)]
            try send("SELECT pg_advisory_xact_lock(hashtextextended(?1 || ' union ' || ?2, 0))", key[0], key[1])
        }
        try send("SELECT pg_advisory_xact_lock(hashtextextended(?1 || ' ' || ?2, 0))", values[0], values[1])
        if let union = identity.unionSubject { try lockUser(of: union, at: identity.provider) }
        try send(
            """
            SELECT 1 FROM users WHERE id = coalesce(
                (SELECT user_id FROM auth_accounts WHERE provider = ?1 AND provider_user_id = ?2),
                (SELECT user_id FROM auth_accounts WHERE provider = ?1 AND transfer_sub = ?3),
                (SELECT user_id FROM auth_accounts WHERE id = (
                    SELECT min(id) FROM auth_accounts WHERE provider = ?1 AND former_sub = ?2))) FOR NO KEY UPDATE
            """, values[0], values[1], .optional(identity.transferSubject))
    }

    /// Two apps of the operator may see the same person for the first time, with the same union subject.
    private func lockUser(of unionSubject: String, at provider: Provider) throws {
        try send(
            """
            SELECT 1 FROM users WHERE id = (
                SELECT user_id FROM auth_accounts WHERE provider = ?1 AND union_sub = ?2) FOR NO KEY UPDATE
            """, .text(provider.rawValue), .text(unionSubject))
    }

    /// In the order of the lock of one identity, and within a kind sorted, so that two transactions do not wait for each
    /// other. No row of a user is locked: a transaction that holds one may wait for another identity of these.
    package func lock(_ identities: [Identity]) throws {
        let keys = { (subjects: [(Provider, String)], infix: String) throws in
            guard !subjects.isEmpty else { return }
            try self.send(
                """
                SELECT pg_advisory_xact_lock(name) FROM (
                    SELECT DISTINCT hashtextextended(provider || '\(infix)' || subject, 0) AS name
                    FROM unnest(?1::text[], ?2::text[]) AS identities (provider, subject) ORDER BY name) AS sorted
                """,
                with: [.texts(subjects.map(\.0.rawValue)), .texts(subjects.map(\.1))])
        }
        try keys(identities.compactMap { identity in identity.unionSubject.map { (identity.provider, $0) } }, " union ")
        try keys(identities.map { ($0.provider, $0.subject) }, " ")
    }

    package func lock(_ user: UserID) throws {
        try send("SELECT 1 FROM users WHERE id = ? FOR NO KEY UPDATE", .text(user.text))
    }

    package func lockSessions(of user: UserID) throws {
        try send("SELECT 1 FROM refresh_tokens WHERE user_id = ? ORDER BY id FOR UPDATE", .text(user.text))
    }

    package func lock(_ session: SessionID) throws {
        try send("SELECT 1 FROM refresh_tokens WHERE id = ? FOR UPDATE", .text(session.text))
    }

    package func lockMaintenance() throws -> Bool {
        // Released at the end of the transaction.
        try first("SELECT pg_try_advisory_xact_lock(?)", .integer(0x6761_7465_686F_7573)) { $0.integer(0) != 0 } == true
    }

    package static var skippingLockedRows: String { "FOR UPDATE SKIP LOCKED" }
    package static var clock: String { "gatehouse_now()" }
    package static var lastEntry: String { "currval(pg_get_serial_sequence('audit_events', 'id'))" }

    package static var providersOfUser: String {
        "(SELECT string_agg(provider, ' ' ORDER BY created_at, id) FROM auth_accounts WHERE user_id = u.id)"
    }

    fileprivate static func lockKeys(_ redemption: Redemption?, _ proof: ProofUse?) -> [Int64] {
        [redemption?.tokenHash, redemption?.nonceHash, proof?.proof].compactMap(\.self).map(lockKey)
    }

    /// The first eight bytes of a SHA-256.
    private static func lockKey(of hash: [UInt8]) -> Int64 {
        Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}

/// A lock of a login that has no row of a user: the key of what it redeems, or the name of its identity.
enum LoginLock: Hashable {
    case key(Int64)
    case name(String)

    /// Those of `lock(_:_:)` and of `lock(_ identity:)`, for an identity without a union subject; and that of a transfer
    /// subject, by which two identities find one account.
    static func all(of login: Login) -> [LoginLock] {
        let (identity, provider) = (login.identity, login.identity.provider.rawValue)
        let transfer = identity.transferSubject.map { LoginLock.name("\(provider) transfer \($0)") }
        return Connection.lockKeys(login.redemption, login.key?.use).map(LoginLock.key)
            + [.name("\(provider) \(identity.subject)")] + (transfer.map { [$0] } ?? [])
    }
}

extension Connection {
    /// Takes those of the locks that are free, and waits for none.
    ///
    /// - Parameter onHeld: gets each of the others when the answer is read.
    func tryLock(_ locks: [LoginLock], onHeld: @escaping (LoginLock) -> Void) throws {
        var (keys, names): ([Int64], [String]) = ([], [])
        for lock in locks {
            switch lock {
            case .key(let key): keys.append(key)
            case .name(let name): names.append(name)
            }
        }
        try query(
            "SELECT key FROM unnest(?1::bigint[]) AS locks (key) WHERE NOT pg_try_advisory_xact_lock(key)",
            with: [.integers(keys)]
        ) { row in onHeld(.key(row.integer(0))) }
        try query(
            """
            SELECT name FROM unnest(?1::text[]) AS locks (name)
            WHERE NOT pg_try_advisory_xact_lock(hashtextextended(name, 0))
            """,
            with: [.texts(names)]
        ) { row in onHeld(.name(row.text(0))) }
    }
}
