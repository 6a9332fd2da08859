import Gatehouse
import OpenSSL
import PostgreSQL
import SQL

// The statements of a batch of logins: each asks or writes for all of them.

/// What the database knows about a login whose locks are held.
typealias FoundLogin = (facts: IdentityFacts, sessions: Int, mayBeNewDevice: Bool)

typealias RecordedLogin = (accepted: AcceptedLogin, login: Login, known: KnownIdentity?)

// MARK: - Locks and reads

private let lockUsers = """
    SELECT id FROM users WHERE id = ANY (ARRAY(
        SELECT (SELECT user_id FROM auth_accounts WHERE id = \(accountID(of: "i.provider", "i.subject", "i.transfer")))
        FROM unnest(?1::text[], ?2::text[], ?3::text[]) AS i (provider, subject, transfer)))
    FOR NO KEY UPDATE SKIP LOCKED
    """

// OFFSET 0 keeps the planner from joining with whole tables.
private let accountsOfIdentities = """
    SELECT i.place, (SELECT count(*) FROM refresh_tokens WHERE user_id = u.id),
        \(mayBeNewDevice(of: "u.id", "i.agent", "(?5::bigint[])[1]")), u.id, \(accountColumns), \(userColumns)
    FROM unnest(?1::text[], ?2::text[], ?3::text[], ?4::text[]) WITH ORDINALITY
        AS i (provider, subject, transfer, agent, place)
    CROSS JOIN LATERAL (SELECT * FROM auth_accounts
        WHERE id = \(accountID(of: "i.provider", "i.subject", "i.transfer")) OFFSET 0) a
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = a.user_id OFFSET 0) u
    """

extension Connection {
    /// One for each login; nil if one of its locks is not free. All is asked in one round trip, and each statement sees the
    /// changes of all transactions that committed before it: also of those that had the locks.
    ///
    /// Accounts are read directly after their users are locked: a user whose row was not free is then seen, or their deletion
    /// has ended, and what it has closed or barred is read after it. What is read is there when `all` returns.
    func lockedFacts(of batch: [PendingLogin]) throws -> [FoundLogin?] {
        let identities = batch.map(\.login.identity)
        let values: [Parameter] = [
            .texts(identities.map(\.provider.rawValue)), .texts(identities.map(\.subject)),
            .texts(identities.map(\.transferSubject)),
        ]
        var (held, users): (Set<LoginLock>, Set<UserID>) = ([], [])
        try tryLock(batch.flatMap(\.locks)) { held.insert($0) }
        try query(lockUsers, with: values) { row in users.insert(UserID(row.text(0))) }
        var found = [(known: KnownIdentity, sessions: Int, mayBeNewDevice: Bool)?](repeating: nil, count: batch.count)
        let devices: [Parameter] = [
            .texts(batch.map(\.login.userAgent)), .integers([batch.contains(where: \.login.tellsOwner) ? 1 : 0]),
        ]
        try query(accountsOfIdentities, with: values + devices) { row in
            var columns = ColumnCounter()
            let (place, sessions) = (Int(row.integer(columns.next())), Int(row.integer(columns.next())))
            let mayBeNewDevice = row.integer(columns.next()) == 1
            found[place - 1] = (try Self.knownIdentity(row: row, &columns), sessions, mayBeNewDevice)
        }
        var earlier: [[UInt8]: Redemption.Earlier] = [:]
        try query(
            "SELECT \(redemptionColumns), hash FROM redemptions WHERE hash = ANY (?1::bytea[])",
            with: [.blobs(batch.flatMap(\.login.redeemed))]
        ) { row in earlier[row.blob(3)] = Redemption.Earlier(row: row) }
        var barred: [[UInt8]: UserID] = [:]
        let hashes = batch.flatMap(\.identityHashes)
        _ = try all(
            "SELECT hash, user_id FROM barred_identities WHERE hash = ANY (?1::bytea[])", with: [.blobs(hashes)]
        ) { row in barred[row.blob(0)] = UserID(row.text(1)) }
        return zip(batch, found).map { pending, found in
            guard held.isDisjoint(with: pending.locks), found.map({ users.contains($0.known.user.id) }) ?? true
            else { return nil }
            let owner = found == nil ? pending.identityHashes.lazy.compactMap { barred[$0] }.first : nil
            let login = pending.login
            let facts = IdentityFacts(
                known: found?.known, barredFrom: owner, use: login.redemption.use { earlier[$0] },
                hasUsedProof: login.key?.use.isUsed { earlier[$0] } ?? false)
            return (facts, found?.sessions ?? 0, found?.mayBeNewDevice ?? false)
        }
    }
}

extension Login {
    /// What it marks as redeemed.
    fileprivate var redeemed: [[UInt8]] {
        [redemption?.tokenHash, redemption?.nonceHash, key?.use.proof].compactMap(\.self)
    }
}

// MARK: - Writes

private let updateUsers = """
    UPDATE users u SET email = n.email, email_verified = n.verified <> 0, nickname = n.nickname,
        last_login_at = n.moment, last_login_provider = n.provider, updated_at = \(later("n.moment"))
    FROM unnest(?1::text[], ?2::text[], ?3::bigint[], ?4::text[], ?5::bigint[], ?6::text[])
        AS n (id, email, verified, nickname, moment, provider)
    WHERE u.id = n.id
    """

private let insertRedemptions = """
    INSERT INTO redemptions (hash, token_hash, moment, expires_at)
    SELECT * FROM unnest(?1::bytea[], ?2::bytea[], ?3::bigint[], ?4::bigint[]) ON CONFLICT (hash) DO NOTHING
    """

private let insertSessions = """
    INSERT INTO refresh_tokens (id, user_id, identity_token_hash, updated_at, \(Session.columns.inserted))
    SELECT id, user_id, identity_token_hash, created_at, \(Session.columns.inserted)
    FROM unnest(?::text[], ?::text[], ?::bytea[], \(Session.columns.insertedArrays))
        AS n (id, user_id, identity_token_hash, \(Session.columns.inserted))
    """

// With the events for those who are told of them: a statement of its own would cost time also where there are no receivers.
private let insertAuditEntries = """
    WITH queued AS (
        INSERT INTO events (receiver, id, type, user_id, detail, moment)
        SELECT r.name, n.* FROM event_receivers r CROSS JOIN
            unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
                AS n (id, type, user_id, detail, moment)
        WHERE r.types = '*' OR strpos(r.types, ' ' || n.type || ' ') > 0)
    INSERT INTO audit_events (\(AuditEntry.columns.inserted)) SELECT * FROM unnest(\(AuditEntry.columns.insertedArrays))
    """

// With the commit, so that it is no round trip of its own, and after the users were written: two of one batch see each other.
private let knownAddresses = """
    SELECT n.place FROM unnest(?1::text[], ?2::text[]) WITH ORDINALITY AS n (id, address, place)
    WHERE \(isKnown("n.address", exceptTo: "n.id"))
    """

extension Connection {
    /// Asks which new users have proven an address that is known, if there are new users.
    ///
    /// - Parameter answer: called for each, with its place, when the transaction commits.
    func askForKnownAddresses(
        of users: [(id: UserID, address: String)], _ answer: @escaping (Int) -> Void
    ) throws {
        guard !users.isEmpty else { return }
        try query(knownAddresses, with: [.texts(users.map(\.id.text)), .texts(users.map(\.address))]) { row in
            answer(Int(row.integer(0)) - 1)
        }
    }
}

extension Connection {
    func write(_ logins: [RecordedLogin]) throws {
        guard !logins.isEmpty else { return }
        for (accepted, login, known) in logins { try writeParts(of: accepted, by: login, known: known) }
        try update(logins.filter { $0.known != nil })
        try markRedeemed(logins.map(\.login))
        try insert(logins)
        try insert(
            logins.map(\.accepted.auditEntry),
            logins.compactMap { $0.accepted.event(of: $0.login, known: $0.known) })
    }

    private func update(_ logins: [RecordedLogin]) throws {
        guard !logins.isEmpty else { return }
        let users = logins.map(\.accepted.user)
        try send(
            updateUsers,
            with: [
                .texts(users.map(\.id.text)), .texts(users.map(\.email)),
                .integers(users.map { $0.emailVerified ? 1 : 0 }), .texts(users.map(\.nickname)),
                .integers(logins.map(\.login.moment.milliseconds)),
                .texts(logins.map(\.login.identity.provider.rawValue)),
            ])
    }

    private func markRedeemed(_ logins: [Login]) throws {
        let marks = logins.flatMap(\.marks)
        guard !marks.isEmpty else { return }
        try send(
            insertRedemptions,
            with: [
                .blobs(marks.map(\.hash)), .blobs(marks.map(\.owner)), .integers(marks.map(\.moment.milliseconds)),
                .integers(marks.map(\.expiresAt.milliseconds)),
            ])
    }

    private func insert(_ logins: [RecordedLogin]) throws {
        let sessions = logins.map(\.accepted.session)
        try send(
            insertSessions,
            with: [
                .texts(sessions.map(\.id.text)), .texts(sessions.map(\.userID.text)),
                .blobs(logins.map(\.login.redemption?.tokenHash)),
            ] + Session.columns.parameters(of: sessions))
    }

    private func insert(_ entries: [AuditEntry], _ events: [UserEvent]) throws {
        try send(
            insertAuditEntries,
            with: [
                .texts(events.map { ULID.make("evt", at: $0.moment, random: SecureRandom.bytes(ULID.randomBytes)) }),
                .texts(events.map(\.type.rawValue)), .texts(events.map(\.userID.text)),
                .texts(events.map(\.detail)), .integers(events.map(\.moment.milliseconds)),
            ] + AuditEntry.columns.parameters(of: entries))
    }
}

extension Login {
    /// The rows that mark what it redeems.
    fileprivate var marks: [(hash: [UInt8], owner: [UInt8], moment: Timestamp, expiresAt: Timestamp)] {
        let tokens = redemption.map { redemption in
            [redemption.tokenHash, redemption.nonceHash].compactMap(\.self).map {
                (hash: $0, owner: redemption.tokenHash, moment: redemption.moment, expiresAt: redemption.expiresAt)
            }
        }
        let proof = (key?.use).map {
            [(hash: $0.proof, owner: $0.request, moment: moment, expiresAt: $0.expiresAt)]
        }
        return (tokens ?? []) + (proof ?? [])
    }
}
