package import Gatehouse
import SQL
import Synchronization

extension RelationalStore {
    package func expireGuests(unusedSince limit: Timestamp, now: Timestamp) throws(Refusal) -> (
        count: Int, hasMore: Bool
    ) {
        let (expired, end) = try unusedGuests(since: limit)
        guard !expired.isEmpty else {
            // The next maintenance looks at the next guests: with many, none of whom expires, there would always be more.
            purgeCursor.guest.withLock { $0 = end }
            return (0, false)
        }
        let (count, isDone) = try writing { connection in
            // Another node deletes the same guests.
            guard try connection.lockMaintenance() else { return (0, true) }
            return try connection.expire(expired, unusedSince: limit, now: now)
        }
        if isDone { purgeCursor.guest.withLock { $0 = end } }
        return (count, true)
    }

    /// Those among the next few hundred guests. A disabled one stays: a new guest of the same key would not be disabled.
    private func unusedGuests(since limit: Timestamp) throws(Refusal) -> (expired: [UserID], end: String) {
        let start = purgeCursor.guest.withLock { $0 }
        let found = try reading { connection in
            try connection.all(
                """
                SELECT u.id, u.guest_key, u.status, u.last_login_at,
                    (SELECT max(rotated_at) FROM refresh_tokens WHERE user_id = u.id)
                FROM users u WHERE u.guest_key > ?1 ORDER BY u.guest_key LIMIT ?2
                """,
                .text(start), .integer(slice)
            ) { row in
                let lastUse = [row.optionalTimestamp(3), row.optionalTimestamp(4)].compactMap(\.self).max()
                let isExpired = row.text(2) == UserStatus.active.rawValue && lastUse.map { $0 < limit } ?? false
                return (id: UserID(row.text(0)), key: row.text(1), isExpired: isExpired)
            }
        }
        return (found.filter(\.isExpired).map(\.id), found.count < Int(slice) ? "" : found.last?.key ?? "")
    }
}

extension RecordConnection {
    /// Deletes guests until the time is used up.
    fileprivate func expire(
        _ guests: [UserID], unusedSince limit: Timestamp, now: Timestamp
    ) throws -> (count: Int, isDone: Bool) {
        let deadline = ContinuousClock.now + purgeTimeLimit
        var count = 0
        for (index, id) in guests.enumerated() {
            try lock(id)
            try lockSessions(of: id)
            // The guest may have come back, or have become a user, since.
            if let user = try user(id), user.isGuest, user.status == .active, let use = try lastUse(of: id), use < limit
            {
                let entry = AuditEntry(.userDeleted, at: now, by: .operator, userID: id, detail: "expired")
                if try delete(id, queueing: nil, recording: entry, now: now) != nil { count += 1 }
            }
            if ContinuousClock.now >= deadline { return (count, index + 1 == guests.count) }
        }
        return (count, true)
    }
}

// MARK: - Logins

private let guestByKey = "SELECT u.id FROM users u WHERE u.guest_key = ?"

extension RecordConnection {
    /// What is known of a guest who signs in. The identity is locked, so no other login by the key runs.
    func facts(of login: Login, asGuestWithin limits: GuestLimits) throws -> IdentityFacts {
        let (identity, now) = (login.identity, login.moment)
        let hasUsedProof = try login.key.map { try hasUsed($0.use) } ?? false
        if let id = try first(guestByKey, .text(identity.subject), read: { UserID($0.text(0)) }) {
            // The guest may be about to become a user, or to be deleted.
            try lock(id)
            if let user = try user(id), user.guestKey == identity.subject {
                let known = (LinkedAccount(identity, linkedAt: user.createdAt), user)
                return IdentityFacts(known: known, hasUsedProof: hasUsedProof)
            }
        }
        if let name = limits.lockName { try lock([name]) }
        let full = try limits.quotas.compactMap { try exhausted($0, limits.keys, now: now) }
        return IdentityFacts(hasUsedProof: hasUsedProof, exhausted: full.first)
    }
}
