package import Gatehouse
import SQL

let sessionColumns = Session.columns.selected(from: "t")

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
        try send(
            Session.columns.insert,
            values: session.insertedValues(
                after: .text(session.id.text), .text(session.userID.text), .optional(redemption?.tokenHash),
                .integer(session.createdAt.milliseconds)))
    }

    /// Ends a session that has not ended. The triggers of `writeEnd` run.
    func revoke(_ id: SessionID, for reason: RevokeReason, recording event: AuditEntry) throws -> Bool {
        guard try end(id, for: reason, now: event.moment) != nil else { return false }
        try insert(event)
        return true
    }

    /// The same without an entry of the audit trail. Returns the user; nil if the session had ended, or does not exist.
    func end(_ id: SessionID, for reason: RevokeReason, now: Timestamp) throws -> UserID? {
        let user = try first(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE id = ?1 AND revoked_at IS NULL RETURNING user_id
            """,
            .text(id.text), .integer(now.milliseconds), .text(reason.rawValue)
        ) { row in UserID(row.text(0)) }
        guard let user else { return nil }
        try insert(UserEvent.end(of: id, for: reason, of: user, at: now))
        return user
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
        after start: Timestamp? = nil, until moment: Timestamp? = nil, for reason: RevokeReason, now: Timestamp
    ) throws -> [EndedSession] {
        try lockSessions(of: user)
        return try all(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2
            WHERE user_id = ?1 AND revoked_at IS NULL
                AND (provider = coalesce(?4, provider)
                    OR provider NOT IN (SELECT provider FROM auth_accounts WHERE user_id = ?1))
                AND id <> coalesce(?5, '') AND created_at <= coalesce(?6, created_at)
                AND created_at > coalesce(?7, created_at - 1) RETURNING id
            """,
            .text(user.text), .integer(now.milliseconds), .text(reason.rawValue), .optional(provider?.rawValue),
            .optional(exception?.text), .optional(moment?.milliseconds), .optional(start?.milliseconds)
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

extension Session: Record {
    static let columns = ColumnList(
        of: Session.self, in: "refresh_tokens", after: ["id", "user_id", "identity_token_hash", "updated_at"])

    static var unread: Session { unread(SessionID(""), of: UserID("")) }

    private static func unread(_ id: SessionID, of user: UserID) -> Session {
        let moment = Timestamp(milliseconds: 0)
        return Session(
            id: id, userID: user, provider: .apple, clientID: "", device: .unknown, createdAt: moment,
            token: SessionToken(generation: 0, random: [], issuedAt: moment, expiresAt: moment, hash: []))
    }

    /// Reads `sessionColumns`.
    init(
        _ id: SessionID, of user: UserID, row: borrowing AnyRow, _ columns: inout ColumnCounter
    ) throws {
        self = .unread(id, of: user)
        try visitColumns(&columns, row)
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("provider", &provider, row)
        try column("client_id", &clientID, row)
        try column("jkt", &keyThumbprint, row)
        var word = method?.rawValue
        try column("methods", &word, row)
        method = word.flatMap(LoginMethod.init)
        try column("user_agent", &device.userAgent, row)
        try column("address", &device.address, row)
        try column("created_at", &createdAt, row)
        try column("generation", &token.generation, row)
        try column("token_random", &token.random, row)
        try column("token_hash", &token.hash, row)
        try column("rotated_at", &token.issuedAt, row)
        try column("expires_at", &token.expiresAt, row)
        var seed = chain?.seed
        try column("token_seed", &seed, row)
        guard !column.isInsert else { return }
        var (burst, supersededAt) = (chain?.burst?.generation, chain?.burst?.supersededAt)
        try column("burst_generation", &burst, row)
        try column("burst_at", &supersededAt, row)
        chain = TokenChain(seed: seed, burst, supersededAt)
        try column("previous_hash", &previousHash, row)
        try column("last_user_agent", &rotationDevice.known.userAgent, row)
        try column("last_address", &rotationDevice.known.address, row)
        try column("confirmed_at", &confirmedAt, row)
        try column("repeats", &repeats, row)
        try column("repeats_elsewhere", &repeatsElsewhere, row)
        try column("repeat_user_agent", &repeatDevice.known.userAgent, row)
        try column("repeat_address", &repeatDevice.known.address, row)
        try column("revoked_at", &revokedAt, row)
        var reason = revokeReason?.rawValue
        try column("revoke_reason", &reason, row)
        // A row that an operator edited by hand may have no reason, or an unknown one. The session has still ended.
        revokeReason = revokedAt.map { _ in reason.flatMap(RevokeReason.init) ?? .revoked }
        var proofs = usedProofs.bytes
        try column("used_proofs", &proofs, row)
        usedProofs = proofs.map(UsedProofs.init(bytes:)) ?? UsedProofs()
    }
}

extension TokenChain {
    /// Nil for a session that was not rotated since these columns exist.
    fileprivate init?(seed: [UInt8]?, _ generation: Int64?, _ supersededAt: Timestamp?) {
        guard let seed else { return nil }
        self.init(seed: seed)
        guard let generation, let supersededAt else { return }
        burst = Burst(generation: generation, supersededAt: supersededAt)
    }
}

extension Device? {
    /// Nil for a device of which nothing is known.
    fileprivate var known: Device {
        get { self ?? .unknown }
        set { self = newValue == .unknown ? nil : newValue }
    }
}
