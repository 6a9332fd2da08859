import Gatehouse
import SQLite

extension Connection {
    /// False where it has been acted on before.
    func enter(_ notification: AppleNotification, now: Timestamp) throws(SQLiteError) -> Bool {
        try run(
            "INSERT INTO apple_notifications (id, moment) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .text(notification.id), .integer(now.milliseconds)) == 1
    }

    /// Older news than what is known already are passed over.
    func noteMail(_ notification: AppleNotification, isForwarded: Bool) throws(SQLiteError) {
        try run(
            """
            UPDATE auth_accounts SET mail_forwarded = ?1, email = coalesce(?2, email),
                email_verified = iif(coalesce(?2, email) IS email, email_verified, NULL),
                is_private_email = coalesce(?3, is_private_email), notified_at = ?4
            WHERE provider = 'APPLE' AND provider_user_id = ?5 AND coalesce(notified_at, 0) <= ?4
            """,
            .integer(isForwarded ? 1 : 0), .optional(notification.email),
            .optional(notification.isPrivateEmail.map { $0 ? 1 : 0 }), .integer(notification.moment.milliseconds),
            .text(notification.subject))
    }

    /// Whether somebody has signed in by Apple since, or linked it: then they have agreed anew, and the news are old.
    func hasAgreed(_ user: UserID, after moment: Timestamp) throws(SQLiteError) -> Bool {
        try first(
            """
            SELECT 1 FROM refresh_tokens WHERE user_id = ?1 AND provider = 'APPLE' AND created_at > ?2
            UNION ALL
            SELECT 1 FROM auth_accounts WHERE user_id = ?1 AND provider = 'APPLE' AND created_at > ?2
            """,
            .text(user.text), .integer(moment.milliseconds)
        ) { _ in true } ?? false
    }

    /// Apple does not honour it any more.
    func forgetAppleToken(of user: UserID) throws(SQLiteError) {
        try run(
            "UPDATE auth_accounts SET refresh_token = NULL WHERE user_id = ? AND provider = 'APPLE'",
            .text(user.text))
    }
}
