import Gatehouse
import SQL

private let keptEndedSessions = 100

extension RecordConnection {
    /// Ends the active sessions of a user beyond a limit: those not used for the longest time, and never the new one,
    /// even after the clock was set back. The rows of ended sessions, which tell their clients why they ended, are
    /// bounded as well, so that a user who logs in and out all the time does not grow the database.
    ///
    /// The trigger `session_revoked` adds each to the revocation log. Their identity tokens keep their grace, so
    /// a client that repeats such a session's login still gets an answer.
    ///
    /// - Parameter count: how many rows there are; nil if that is not known.
    func enforce(_ limit: Int, opening new: Session, among count: Int? = nil) throws -> [EndedSession] {
        let (user, now) = (new.userID, new.createdAt)
        let count = try count ?? sessionCount(of: user)
        guard count > limit else { return [] }
        try lockSessions(of: user)
        if count > limit + keptEndedSessions { try removeEnded(of: user) }
        let ended = try all(
            """
            UPDATE refresh_tokens SET revoked_at = ?2, revoke_reason = ?3, updated_at = ?2 WHERE id IN (
                SELECT id FROM refresh_tokens WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2
                    AND id <> ?5
                ORDER BY rotated_at DESC, id DESC LIMIT 1000000 OFFSET ?4)
            RETURNING id
            """,
            .text(user.text), .integer(now.milliseconds), .text(RevokeReason.sessionLimit.rawValue),
            .integer(Int64(limit - 1)), .text(new.id.text)
        ) { row in EndedSession(SessionID(row.text(0)), for: .sessionLimit) }
        guard !ended.isEmpty else { return [] }
        try insert(
            AuditEvent(
                .sessionLimit, at: now, userID: user, sessionID: ended.count == 1 ? ended[0].id : nil,
                device: new.device, count: Int64(ended.count)))
        return ended
    }

    private func sessionCount(of user: UserID) throws -> Int {
        try first("SELECT count(*) FROM refresh_tokens WHERE user_id = ?", .text(user.text)) { row in
            Int(row.integer(0))
        } ?? 0
    }

    /// Not those that have expired: that depends on the clock, and maintenance deletes them.
    private func removeEnded(of user: UserID) throws {
        try send(
            """
            DELETE FROM refresh_tokens WHERE id IN (
                SELECT id FROM refresh_tokens WHERE user_id = ?1 AND revoked_at IS NOT NULL
                ORDER BY updated_at DESC, id DESC LIMIT 1000000 OFFSET ?2)
            """,
            .text(user.text), .integer(Int64(keptEndedSessions)))
    }
}
