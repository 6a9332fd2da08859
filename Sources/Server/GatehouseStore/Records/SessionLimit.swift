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
            AuditEntry(
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

/// Whether a login may be on a device that its user never had: somebody is told of it, and no row has the same user agent.
///
/// - Parameters:
///   - user, agent, tellsOwner: of the login.
func mayBeNewDevice(of user: String, _ agent: String, _ tellsOwner: String) -> String {
    """
    CASE WHEN (\(tellsOwner) = 1 OR EXISTS (SELECT 1 FROM event_receivers)) AND NOT EXISTS (
        SELECT 1 FROM refresh_tokens WHERE user_id = \(user) AND user_agent IS NOT DISTINCT FROM \(agent))
    THEN 1 ELSE 0 END
    """
}

// A constant, so that it is not built for each request.
private let sessionsBefore = """
    SELECT count(*), \(mayBeNewDevice(of: "?1", "CAST(?2 AS TEXT)", "CAST(?3 AS BIGINT)"))
    FROM refresh_tokens WHERE user_id = ?1
    """

extension RecordConnection {
    /// How many sessions a user has before a login, ended ones among them; and whether none of them was opened on a device of the
    /// same kind. Of a user who has never signed in here, such as an imported one, nothing is known, so the value is false.
    func sessions(before new: Session, tellsOwner: Bool) throws -> (count: Int, areOfOtherDevices: Bool) {
        let (user, agent) = (new.userID, new.device.userAgent)
        let found = try first(
            sessionsBefore, .text(user.text), .optional(agent), .integer(tellsOwner ? 1 : 0)
        ) { row in (count: Int(row.integer(0)), mayBeNew: row.integer(1) == 1) }
        guard let found, found.mayBeNew, try hasSignedIn(user) else { return (found?.count ?? 0, false) }
        let agents = try all(
            "SELECT DISTINCT user_agent FROM refresh_tokens WHERE user_id = ?", .text(user.text)
        ) { row in row.optionalText(0) }
        return (found.count, !agents.contains { Device.isSameFamily($0, agent) })
    }

    private func hasSignedIn(_ user: UserID) throws -> Bool {
        try first(
            "SELECT 1 FROM users WHERE id = ? AND last_login_provider IS NOT NULL", .text(user.text)
        ) { _ in true } ?? false
    }
}
