import Gatehouse
import SQL

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
    /// same kind. Of a user who has never signed in here, such as an imported one, nothing is known.
    func sessions(before new: Session, by login: Login) throws -> (count: Int, areOfOtherDevices: Bool) {
        let (user, agent) = (new.userID, new.device.userAgent)
        let found = try first(
            sessionsBefore, .text(user.text), .optional(agent), .integer(login.tellsOwner ? 1 : 0)
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
