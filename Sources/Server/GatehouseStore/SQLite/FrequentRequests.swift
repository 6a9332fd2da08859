package import Gatehouse
import SQL
import SQLite

/// What `me`, refreshes and confirmations need. PostgreSQL batches these instead.
///
/// Not in an extension of `RelationalStore`: unspecialised, each call would look up the types of its results.
extension SQLiteStore {
    package func user(_ id: UserID) throws(Refusal) -> User? {
        do throws(StoreFailure) { return try read { try $0.user(id) } } catch { throw .storageUnavailable(error) }
    }

    package func change(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(Refusal) -> (session: Session, user: User, change: SessionChange?)? {
        do throws(StoreFailure) {
            return try write { try $0.change(id, now: now, by: decide) }
        } catch {
            throw .storageUnavailable(error)
        }
    }

    package func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        do throws(StoreFailure) {
            try write { connection in for confirmation in confirmations { try connection.confirm(confirmation) } }
        } catch {
            throw .storageUnavailable(error)
        }
    }
}

extension Connection {
    fileprivate func change(
        _ id: SessionID, now: Timestamp, by decide: (Session, User) -> SessionChange?
    ) throws -> (session: Session, user: User, change: SessionChange?)? {
        guard let (session, user) = try session(id) else { return nil }
        guard let change = decide(session, user), change.applies(to: session) else { return (session, user, nil) }
        switch change {
        case .advance(let token, let chain, let device):
            try advance(id, to: token, in: chain, from: device, now: now)
        case .countRepeat(_, let device, let isElsewhere):
            try countRepeat(id, from: device, isElsewhere: isElsewhere, now: now)
        case .end(let reason, let event): try end(id, for: reason, recording: event)
        }
        return (session, user, change)
    }

    /// The conditions leave out a session that has advanced or ended since, and one that is confirmed already.
    fileprivate func confirm(_ confirmation: TokenConfirmation) throws {
        try run(
            """
            UPDATE refresh_tokens SET confirmed_at = ?3, updated_at = ?3
            WHERE id = ?1 AND generation = ?2 AND confirmed_at IS NULL AND revoked_at IS NULL
            """,
            .text(confirmation.sessionID.text), .integer(confirmation.generation),
            .integer(confirmation.moment.milliseconds))
    }

    /// Of a session that no other transaction changes meanwhile.
    private func advance(
        _ id: SessionID, to token: SessionToken, in chain: TokenChain, from device: Device, now: Timestamp
    ) throws {
        try run(
            """
            UPDATE refresh_tokens SET generation = ?2, previous_hash = token_hash, token_hash = ?3,
                token_random = ?4, rotated_at = ?5, expires_at = ?6, updated_at = ?7, last_user_agent = ?8,
                last_address = ?9, token_seed = ?10, burst_generation = ?11, burst_at = ?12, \(resetByAdvance)
            WHERE id = ?1
            """,
            .text(id.text), .integer(token.generation), .blob(token.hash), .blob(token.random),
            .integer(token.issuedAt.milliseconds), .integer(token.expiresAt.milliseconds),
            .integer(now.milliseconds), .optional(device.userAgent), .optional(device.address), .blob(chain.seed),
            .optional(chain.burst?.generation), .optional(chain.burst?.supersededAt.milliseconds))
    }
}
