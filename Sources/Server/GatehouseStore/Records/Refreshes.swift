import Gatehouse
import PostgreSQL
import SQL
import SQLite

// The statements of refreshes and of confirmations. A refresh needs no condition: its row is locked (PostgreSQL), or there is
// one writer (SQLite). A confirmation comes later, so its statement has one.

extension RecordConnection {
    /// Writes what was decided about a session.
    ///
    /// - Parameter advance: takes a session with its next token. PostgreSQL writes those of a batch in one statement.
    func write(_ decision: RefreshDecision, now: Timestamp, advance: (Session) throws -> Void) throws {
        switch decision {
        case .advance(let next, _): try advance(next)
        case .repeatCurrent(let written?): try writeRepeat(written, now: now)
        case .end(let ended, let event): try writeEnd(ended, recording: event)
        case .repeatCurrent(nil), .refuse: break
        }
        if let written = decision.written, written.isBound { try writeUsedProofs(written, now: now) }
    }

    private func writeRepeat(_ session: Session, now: Timestamp) throws {
        try send(
            """
            UPDATE refresh_tokens SET repeats = ?2, repeats_elsewhere = ?3, repeat_user_agent = ?4, repeat_address = ?5,
                updated_at = ?6
            WHERE id = ?1
            """,
            .text(session.id.text), .integer(session.repeats), .integer(session.repeatsElsewhere),
            .optional(session.repeatDevice?.userAgent), .optional(session.repeatDevice?.address),
            .integer(now.milliseconds))
    }

    /// Only for a bound session, so that others need no further statement.
    func writeUsedProofs(_ session: Session, now: Timestamp) throws {
        try send(
            "UPDATE refresh_tokens SET used_proofs = ?2, updated_at = ?3 WHERE id = ?1",
            .text(session.id.text), .optional(session.usedProofs.bytes), .integer(now.milliseconds))
    }

    /// The trigger `session_revoked` adds the session to the revocation log, and `revoked_session_closes_redemptions` ends
    /// the grace in which its identity token could be redeemed again.
    func writeEnd(_ session: Session, recording event: AuditEntry) throws {
        try send(
            "UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2 WHERE id = ?1",
            .text(session.id.text), .optional(session.revokedAt?.milliseconds),
            .optional(session.revokeReason?.rawValue))
        try insert(UserEvent.end(of: session.id, for: session.revokeReason, of: session.userID, at: event.moment))
        try insert(event)
    }
}

/// The session has not ended, and no earlier confirmation is stored: the first one counts.
private let isUnconfirmed = "t.confirmed_at IS NULL AND t.revoked_at IS NULL"

/// Clears the confirmation and the repeats of the superseded token, as `Session.advanced` does.
private let reset = "confirmed_at = NULL, repeats = 0, repeat_user_agent = NULL, repeat_address = NULL"

// Constants, so that they are not built for each request.
private let advanceSession = """
    UPDATE refresh_tokens SET generation = ?2, previous_hash = ?3, token_hash = ?4, token_random = ?5,
        rotated_at = ?6, expires_at = ?7, updated_at = ?8, last_user_agent = ?9, last_address = ?10,
        token_seed = ?11, burst_generation = ?12, burst_at = ?13, \(reset)
    WHERE id = ?1
    """

private let confirmSession = """
    UPDATE refresh_tokens AS t SET confirmed_at = ?3, updated_at = ?3
    WHERE t.id = ?1 AND t.generation = ?2 AND \(isUnconfirmed)
    """

extension SQLite.Connection {
    func advance(_ session: Session, now: Timestamp) throws {
        let (token, chain) = (session.token, session.chain)
        try run(
            advanceSession,
            .text(session.id.text), .integer(token.generation), .optional(session.previousHash), .blob(token.hash),
            .blob(token.random), .integer(token.issuedAt.milliseconds), .integer(token.expiresAt.milliseconds),
            .integer(now.milliseconds), .optional(session.rotationDevice?.userAgent),
            .optional(session.rotationDevice?.address), .optional(chain?.seed), .optional(chain?.burst?.generation),
            .optional(chain?.burst?.supersededAt.milliseconds))
    }

    func confirm(_ confirmation: TokenConfirmation) throws {
        try run(
            confirmSession,
            .text(confirmation.sessionID.text), .integer(confirmation.generation),
            .integer(confirmation.moment.milliseconds))
    }
}

// OFFSET 0 keeps the planner from joining with all users: it expects more sessions than a batch has.
private let sessionsByID = """
    SELECT t.id, u.id, \(sessionColumns), \(userColumns)
    FROM refresh_tokens t CROSS JOIN LATERAL (SELECT * FROM users WHERE id = t.user_id OFFSET 0) u
    WHERE t.id = ANY (?1::text[]) ORDER BY t.id FOR UPDATE OF t
    """

private let advanceSessions = """
    UPDATE refresh_tokens t SET generation = n.generation, previous_hash = n.previous_hash, token_hash = n.hash,
        token_random = n.random, rotated_at = n.issued_at, expires_at = n.expires_at, updated_at = n.updated_at,
        last_user_agent = n.user_agent, last_address = n.address, token_seed = n.seed,
        burst_generation = n.burst_generation, burst_at = n.burst_at, \(reset)
    FROM unnest(?1::text[], ?2::bigint[], ?3::bytea[], ?4::bytea[], ?5::bytea[], ?6::bigint[], ?7::bigint[],
        ?8::bigint[], ?9::text[], ?10::text[], ?11::bytea[], ?12::bigint[], ?13::bigint[])
        AS n (id, generation, previous_hash, hash, random, issued_at, expires_at, updated_at, user_agent, address,
            seed, burst_generation, burst_at)
    WHERE t.id = n.id
    """

private let confirmSessions = """
    UPDATE refresh_tokens t SET confirmed_at = n.moment, updated_at = n.moment
    FROM unnest(?1::text[], ?2::bigint[], ?3::bigint[]) AS n (id, generation, moment)
    WHERE t.id = n.id AND t.generation = n.generation AND \(isUnconfirmed)
    """

extension PostgreSQL.Connection {
    /// The sessions of a batch, in the order of their ids, so that two nodes do not wait for each other.
    func lockedSessions(
        _ ids: [SessionID], _ waits: Bool
    ) throws -> [SessionID: (session: Session, user: User)] {
        let rows = try all(waits ? sessionsByID : sessionsByID + " NOWAIT", with: [.texts(ids.map(\.text))]) { row in
            var columns = ColumnCounter()
            let id = SessionID(row.text(columns.next()))
            let user = UserID(row.text(columns.next()))
            return (
                id, (session: try Session(id, of: user, row: row, &columns), user: try User(user, row: row, &columns))
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The rows of a batch in one statement.
    func advance(_ rows: [(session: Session, now: Timestamp)]) throws {
        guard !rows.isEmpty else { return }
        let sessions = rows.map(\.session)
        try send(
            advanceSessions,
            with: [
                .texts(sessions.map(\.id.text)), .integers(sessions.map(\.token.generation)),
                .blobs(sessions.map(\.previousHash)), .blobs(sessions.map(\.token.hash)),
                .blobs(sessions.map(\.token.random)), .integers(sessions.map(\.token.issuedAt.milliseconds)),
                .integers(sessions.map(\.token.expiresAt.milliseconds)), .integers(rows.map(\.now.milliseconds)),
                .texts(sessions.map(\.rotationDevice?.userAgent)), .texts(sessions.map(\.rotationDevice?.address)),
                .blobs(sessions.map(\.chain?.seed)), .integers(sessions.map(\.chain?.burst?.generation)),
                .integers(sessions.map(\.chain?.burst?.supersededAt.milliseconds)),
            ])
    }

    func confirm(_ confirmations: [TokenConfirmation]) throws {
        let sorted = confirmations.sorted { $0.sessionID.text < $1.sessionID.text }
        let ids = Parameter.texts(sorted.map(\.sessionID.text))
        // An UPDATE locks its rows in an order of its own, in which two nodes could wait for each other.
        try send("SELECT 1 FROM refresh_tokens WHERE id = ANY (?1::text[]) ORDER BY id FOR UPDATE", with: [ids])
        try send(
            confirmSessions,
            with: [ids, .integers(sorted.map(\.generation)), .integers(sorted.map(\.moment.milliseconds))])
    }
}
