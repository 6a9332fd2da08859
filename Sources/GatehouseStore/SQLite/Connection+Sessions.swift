import Gatehouse
import SQLite

/// Columns of a session `t`, in the order in which `Session.init(_:of:row:)` reads them.
private let sessionColumns = """
    t.provider, t.client_id, t.user_agent, t.address, t.created_at, t.generation, t.token_random, t.rotated_at,
    t.expires_at, t.token_hash, t.previous_hash, t.revoked_at, t.revoke_reason, t.last_user_agent, t.last_address
    """

// Put together once, and not for each request.
private let sessionByID = """
    SELECT \(sessionColumns), \(userColumns), u.id
    FROM refresh_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ?
    """

extension Connection {
    func session(_ id: SessionID) throws(SQLiteError) -> (session: Session, user: User)? {
        try first(sessionByID, .text(id.text)) { row throws(SQLiteError) in
            let user = UserID(row.text(23))
            return (try Session(id, of: user, row: row), try User(user, row: row, from: 15))
        }
    }

    func sessions(of user: UserID, aliveAt now: Timestamp) throws(SQLiteError) -> [Session] {
        try all(
            """
            SELECT \(sessionColumns), t.id FROM refresh_tokens t
            WHERE t.user_id = ? AND t.revoked_at IS NULL AND t.expires_at > ?
            ORDER BY t.rotated_at DESC, t.id DESC
            """,
            .text(user.text), .integer(now.milliseconds)
        ) { row throws(SQLiteError) in try Session(SessionID(row.text(15)), of: user, row: row) }
    }

    func insert(_ session: Session, redeeming redemption: Redemption?) throws(SQLiteError) {
        let token = session.token
        try run(
            """
            INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation,
                rotated_at, expires_at, user_agent, address, identity_token_hash, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(session.id.text), .text(session.userID.text), .text(session.provider.rawValue),
            .text(session.clientID), .blob(token.hash), .blob(token.random), .integer(token.generation),
            .integer(token.issuedAt.milliseconds), .integer(token.expiresAt.milliseconds),
            .optional(session.device.userAgent), .optional(session.device.address), .optional(redemption?.tokenHash),
            .integer(session.createdAt.milliseconds), .integer(session.createdAt.milliseconds))
    }

    /// Of any number who try from one generation one succeeds, whoever decided and whenever.
    func advance(
        _ id: SessionID, to token: SessionToken, from device: Device, now: Timestamp
    ) throws(SQLiteError) -> Bool {
        let changed = try run(
            """
            UPDATE refresh_tokens SET generation = ?2, previous_hash = token_hash, token_hash = ?3,
                token_random = ?4, rotated_at = ?5, expires_at = ?6, updated_at = ?7, last_user_agent = ?8,
                last_address = ?9
            WHERE id = ?1 AND generation = ?2 - 1 AND revoked_at IS NULL
            """,
            .text(id.text), .integer(token.generation), .blob(token.hash), .blob(token.random),
            .integer(token.issuedAt.milliseconds), .integer(token.expiresAt.milliseconds),
            .integer(now.milliseconds), .optional(device.userAgent), .optional(device.address))
        return changed == 1
    }

    /// Ends the living sessions of a user beyond a limit, those first that were not used for the longest time, and never the
    /// new one, whatever the clock said before. The rows of ended sessions that tell their tokens' holders what happened are
    /// bounded as well, so that signing in and out for ever does not grow the database.
    func enforce(
        _ limit: Int, on user: UserID, except new: SessionID, now: Timestamp
    ) throws(SQLiteError) -> [SessionID] {
        let count = try first("SELECT count(*) FROM refresh_tokens WHERE user_id = ?", .text(user.text)) { row in
            Int(row.integer(0))
        }
        guard let count, count > limit else { return [] }
        if count > limit + Self.keptEndedSessions { try removeEnded(of: user, now: now) }
        return try all(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2 WHERE id IN (
                SELECT id FROM refresh_tokens WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2
                    AND id <> ?5
                ORDER BY rotated_at DESC, id DESC LIMIT -1 OFFSET ?4)
            RETURNING id
            """,
            .text(user.text), .integer(now.milliseconds), .text(RevokeReason.sessionLimit.rawValue),
            .integer(Int64(limit - 1)), .text(new.text)
        ) { row in SessionID(row.text(0)) }
    }

    private static let keptEndedSessions = 100

    private func removeEnded(of user: UserID, now: Timestamp) throws(SQLiteError) {
        try run(
            """
            DELETE FROM refresh_tokens WHERE id IN (
                SELECT id FROM refresh_tokens WHERE user_id = ?1 AND (revoked_at IS NOT NULL OR expires_at <= ?2)
                ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?3)
            """,
            .text(user.text), .integer(now.milliseconds), .integer(Int64(Self.keptEndedSessions)))
    }

    func revoke(_ id: SessionID, for reason: RevokeReason, noting event: AuditEvent) throws(SQLiteError) -> Bool {
        let changed = try run(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE id = ?1 AND revoked_at IS NULL
            """,
            .text(id.text), .integer(event.moment.milliseconds), .text(reason.rawValue))
        guard changed == 1 else { return false }
        try insert(event)
        return true
    }

    /// These were alive until now.
    func revokeAll(
        of user: UserID, for reason: RevokeReason, now: Timestamp
    ) throws(SQLiteError) -> [SessionID] {
        try all(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 RETURNING id
            """,
            .text(user.text), .integer(now.milliseconds), .text(reason.rawValue)
        ) { row in SessionID(row.text(0)) }
    }

    /// Of whoever; how many were alive until now.
    func revokeAll(now: Timestamp) throws(SQLiteError) -> Int {
        try run(
            """
            UPDATE refresh_tokens SET revoked_at = ?1, revoke_reason = ?2, updated_at = ?1
            WHERE revoked_at IS NULL AND expires_at > ?1
            """,
            .integer(now.milliseconds), .text(RevokeReason.revoked.rawValue))
    }

    /// These were alive until now.
    func deleteSessions(of user: UserID, now: Timestamp) throws(SQLiteError) -> [SessionID] {
        // Told apart here: in the RETURNING of a table without rowid, SQLite 3.40 takes every IS NULL for false.
        try all("DELETE FROM refresh_tokens WHERE user_id = ? RETURNING id, revoked_at, expires_at", .text(user.text)) {
            row in
            let isAlive = row.optionalInteger(1) == nil && row.integer(2) > now.milliseconds
            return isAlive ? SessionID(row.text(0)) : nil
        }.compactMap { $0 }
    }
}

extension Session {
    /// Reads `sessionColumns`.
    fileprivate init(_ id: SessionID, of user: UserID, row: borrowing Row) throws(SQLiteError) {
        let token = SessionToken(
            generation: row.integer(5), random: row.blob(6), issuedAt: Timestamp(milliseconds: row.integer(7)),
            expiresAt: Timestamp(milliseconds: row.integer(8)), hash: row.blob(9))
        let last = Device(userAgent: row.optionalText(13), address: row.optionalText(14))
        let revokedAt = row.optionalInteger(11).map(Timestamp.init(milliseconds:))
        self.init(
            id: id, userID: user, provider: try row.case(Provider.self, at: 0), clientID: row.text(1),
            device: Device(userAgent: row.optionalText(2), address: row.optionalText(3)),
            rotationDevice: last == .unknown ? nil : last, createdAt: Timestamp(milliseconds: row.integer(4)),
            token: token, previousHash: row.optionalBlob(10),
            revokedAt: revokedAt, revokeReason: revokedAt == nil ? nil : Self.reason(row.optionalText(12)))
    }

    /// Ended by hand, it has no reason, or one that only its author knows; but ended it has.
    private static func reason(_ text: String?) -> RevokeReason {
        text.flatMap(RevokeReason.init) ?? .revoked
    }
}
