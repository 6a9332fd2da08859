package import Gatehouse
import SQL

/// The columns of a session `t`, in the order in which `Session.init(_:of:row:_:)` reads them.
let sessionColumns = """
    t.provider, t.client_id, t.user_agent, t.address, t.last_user_agent, t.last_address, t.created_at,
    t.generation, t.token_random, t.rotated_at, t.expires_at, t.token_hash, t.confirmed_at, t.previous_hash,
    t.token_seed, t.burst_generation, t.burst_at, t.repeats, t.repeats_elsewhere, t.repeat_user_agent,
    t.repeat_address, t.revoked_at, t.revoke_reason, t.jkt, t.used_proofs, t.methods
    """

// A constant, so that it is not built for each request.
private let sessionByID = """
    SELECT u.id, \(sessionColumns), \(userColumns)
    FROM refresh_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ?
    """

extension RelationalStore {
    package func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)? {
        try reading { try $0.session(id) }
    }

    package func sessions(of user: UserID, aliveAt now: Timestamp) throws(Refusal) -> [Session] {
        try reading { try $0.sessions(of: user, aliveAt: now) }
    }

    package func use(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session) -> ProofDecision
    ) throws(Refusal) -> ProofDecision? {
        try writing { connection in
            try connection.lock(id)
            guard let (session, _) = try connection.session(id) else { return nil }
            let decision = decide(session)
            switch decision {
            case .accept(let session): try connection.writeUsedProofs(session, now: now)
            case .end(let ended, let event): try connection.writeEnd(ended, recording: event)
            case .ended, .refuse: break
            }
            return decision
        }
    }

    package func revoke(
        _ id: SessionID, for reason: RevokeReason, recording event: AuditEntry
    ) throws(Refusal) -> Bool {
        try writing { try $0.revoke(id, for: reason, recording: event) }
    }

    package func revokeAll(
        of user: UserID, for reason: RevokeReason, recording event: AuditEntry
    ) throws(Refusal) -> [EndedSession] {
        try writing { connection in
            let ended = try connection.revokeAll(of: user, for: reason, now: event.moment)
            if !ended.isEmpty { try connection.insert(event) }
            return ended
        }
    }
}

extension RecordConnection {
    func session(_ id: SessionID) throws -> (session: Session, user: User)? {
        try first(sessionByID, .text(id.text)) { row in
            var columns = ColumnCounter()
            let user = UserID(row.text(columns.next()))
            return (try Session(id, of: user, row: row, &columns), try User(user, row: row, &columns))
        }
    }

    func sessions(of user: UserID, aliveAt now: Timestamp) throws -> [Session] {
        try all(
            """
            SELECT t.id, \(sessionColumns) FROM refresh_tokens t
            WHERE t.user_id = ? AND t.revoked_at IS NULL AND t.expires_at > ?
            ORDER BY t.rotated_at DESC, t.id DESC
            """,
            .text(user.text), .integer(now.milliseconds)
        ) { row in
            var columns = ColumnCounter()
            return try Session(SessionID(row.text(columns.next())), of: user, row: row, &columns)
        }
    }

    func insert(_ session: Session, redeeming redemption: Redemption?) throws {
        let token = session.token
        try send(
            """
            INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation,
                token_seed, rotated_at, expires_at, user_agent, address, identity_token_hash, jkt, methods,
                created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(session.id.text), .text(session.userID.text), .text(session.provider.rawValue),
            .text(session.clientID), .blob(token.hash), .blob(token.random), .integer(token.generation),
            .optional(session.chain?.seed), .integer(token.issuedAt.milliseconds),
            .integer(token.expiresAt.milliseconds), .optional(session.device.userAgent),
            .optional(session.device.address), .optional(redemption?.tokenHash), .optional(session.keyThumbprint),
            .optional(session.method?.rawValue),
            .integer(session.createdAt.milliseconds), .integer(session.createdAt.milliseconds))
    }

    /// Ends a session that has not ended. The triggers of `writeEnd` run.
    func revoke(_ id: SessionID, for reason: RevokeReason, recording event: AuditEntry) throws -> Bool {
        let user = try first(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE id = ?1 AND revoked_at IS NULL RETURNING user_id
            """,
            .text(id.text), .integer(event.moment.milliseconds), .text(reason.rawValue)
        ) { row in UserID(row.text(0)) }
        guard let user else { return false }
        try insert(UserEvent.end(of: id, for: reason, of: user, at: event.moment))
        try insert(event)
        return true
    }

    /// Returns the sessions that had not been revoked. Also those that seem to have expired: by the clock of another node
    /// they may be alive. The triggers of `writeEnd` run for each.
    ///
    /// - Parameters:
    ///   - provider: ends only sessions that a login by it has opened, or one at which the user has no account any more.
    ///   - exception: goes on.
    ///   - moment: sessions that were opened later go on.
    func revokeAll(
        of user: UserID, openedBy provider: Provider? = nil, except exception: SessionID? = nil,
        until moment: Timestamp? = nil, for reason: RevokeReason, now: Timestamp
    ) throws -> [EndedSession] {
        try lockSessions(of: user)
        return try all(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE user_id = ?1 AND revoked_at IS NULL
                AND (provider = coalesce(?4, provider)
                    OR provider NOT IN (SELECT provider FROM auth_accounts WHERE user_id = ?1))
                AND id <> coalesce(?5, '') AND created_at <= coalesce(?6, created_at) RETURNING id
            """,
            .text(user.text), .integer(now.milliseconds), .text(reason.rawValue), .optional(provider?.rawValue),
            .optional(exception?.text), .optional(moment?.milliseconds)
        ) { row in EndedSession(SessionID(row.text(0)), for: reason) }
    }

    /// Ends the sessions of all users, and returns how many had not been revoked. The triggers of `writeEnd` run for each.
    func revokeAll(now: Timestamp) throws -> Int {
        try run(
            """
            UPDATE refresh_tokens SET revoked_at = ?1, revoke_reason = ?2, updated_at = ?1
            WHERE revoked_at IS NULL
            """,
            .integer(now.milliseconds), .text(RevokeReason.revoked.rawValue))
    }

    /// Returns the sessions that were active. The trigger `session_removed` adds those to the revocation log, and
    /// `removed_session_closes_redemption` ends the grace in which their identity tokens could be redeemed again.
    func deleteSessions(of user: UserID, for reason: RevokeReason, now: Timestamp) throws -> [EndedSession] {
        try lockSessions(of: user)
        // Filtered here: in the RETURNING clause of a table without rowid, SQLite 3.40
        // evaluates every IS NULL as false.
        return try all(
            "DELETE FROM refresh_tokens WHERE user_id = ? RETURNING id, revoked_at, expires_at", .text(user.text)
        ) { row in
            let isAlive = row.optionalInteger(1) == nil && row.integer(2) > now.milliseconds
            return isAlive ? EndedSession(SessionID(row.text(0)), for: reason) : nil
        }.compactMap { $0 }
    }
}

extension Session {
    /// Reads `sessionColumns`.
    init(
        _ id: SessionID, of user: UserID, row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter
    ) throws {
        let provider = try row.case(Provider.self, at: columns.next())
        let clientID = row.text(columns.next())
        let (device, lastDevice) = (row.device(&columns), row.device(&columns))
        let createdAt = row.timestamp(columns.next())
        let token = SessionToken(
            generation: row.integer(columns.next()), random: row.blob(columns.next()),
            issuedAt: row.timestamp(columns.next()), expiresAt: row.timestamp(columns.next()),
            hash: row.blob(columns.next()))
        let confirmedAt = row.optionalTimestamp(columns.next())
        let previousHash = row.optionalBlob(columns.next())
        let chain = row.chain(&columns)
        let (repeats, repeatsElsewhere) = (row.integer(columns.next()), row.integer(columns.next()))
        let repeatDevice = row.device(&columns)
        let revokedAt = row.optionalTimestamp(columns.next())
        let reason = row.optionalText(columns.next())
        let keyThumbprint = row.optionalText(columns.next())
        let usedProofs = row.optionalBlob(columns.next()).map(UsedProofs.init(bytes:)) ?? UsedProofs()
        let method = row.optionalText(columns.next()).flatMap(LoginMethod.init)
        self.init(
            id: id, userID: user, provider: provider, clientID: clientID, device: device,
            rotationDevice: lastDevice == .unknown ? nil : lastDevice, createdAt: createdAt, token: token,
            confirmedAt: confirmedAt, previousHash: previousHash, chain: chain, repeats: repeats,
            repeatsElsewhere: repeatsElsewhere, repeatDevice: repeatDevice == .unknown ? nil : repeatDevice,
            revokedAt: revokedAt,
            // A row that an operator edited by hand may have no reason, or an unknown one. The session has still ended.
            revokeReason: revokedAt.map { _ in reason.flatMap(RevokeReason.init) ?? .revoked },
            keyThumbprint: keyThumbprint, method: method, usedProofs: usedProofs)
    }
}

extension SQLRow where Self: ~Copyable {
    /// Nil for a session that was not rotated since these columns exist.
    fileprivate func chain(_ columns: inout ColumnCounter) -> TokenChain? {
        let seed = optionalBlob(columns.next())
        let (generation, moment) = (optionalInteger(columns.next()), optionalTimestamp(columns.next()))
        guard let seed else { return nil }
        guard let generation, let moment else { return TokenChain(seed: seed) }
        return TokenChain(seed: seed, burst: TokenChain.Burst(generation: generation, supersededAt: moment))
    }
}
