package import Gatehouse
import SQL

extension RelationalStore {
    package func apply(_ events: SecurityEvents, now: Timestamp) throws(Refusal) -> [EndedSession] {
        try writing { connection in
            guard try connection.recordOnce("\(events.provider.rawValue) \(events.id)", now: now) else { return [] }
            return try events.entries.flatMap { try connection.apply($0, of: events, now: now) }
        }
    }
}

extension RecordConnection {
    /// Returns the sessions that ended. Of an unknown user, nothing is recorded.
    fileprivate func apply(
        _ entry: SecurityEvents.Entry, of events: SecurityEvents, now: Timestamp
    ) throws -> [EndedSession] {
        guard let subject = entry.subject else { return [] }
        let identity = Identity(provider: events.provider, subject: subject, email: nil)
        try lock(identity)
        guard let user = try owner(of: identity) else { return [] }
        try insert(
            AuditEntry(
                .securityEvent, at: now, by: .provider, userID: user, provider: events.provider,
                detail: entry.kind.rawValue))
        let own: Provider?
        switch entry.kind.effect {
        case .none: return []
        case .endOwnSessions: own = events.provider
        case .endAllSessions: own = nil
        }
        return try revokeAll(of: user, openedBy: own, until: events.horizon, for: .providerEvent, now: now)
    }
}

extension RecordConnection {
    /// The disabled user who had an identity that is barred; nil when it is not barred.
    func owner(ofBarred hashes: [[UInt8]]) throws -> UserID? {
        for hash in hashes {
            let owner = try first("SELECT user_id FROM barred_identities WHERE hash = ?", .blob(hash)) { row in
                UserID(row.text(0))
            }
            if let owner { return owner }
        }
        return nil
    }

    /// Bars an identity of a disabled user under all of its hashes.
    func bar(_ hashes: [[UInt8]], of user: UserID, now: Timestamp) throws {
        for hash in hashes {
            try send(
                "INSERT INTO barred_identities (hash, user_id, moment) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
                .blob(hash), .text(user.text), .integer(now.milliseconds))
        }
    }

    /// Unbars the identities of a user. False when there are none.
    func unbar(_ user: UserID) throws -> Bool {
        try run("DELETE FROM barred_identities WHERE user_id = ?", .text(user.text)) > 0
    }
}
