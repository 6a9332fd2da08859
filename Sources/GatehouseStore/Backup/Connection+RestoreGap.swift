import Gatehouse
import SQLite

extension Connection {
    /// Compares this database, which is to be replaced, with the one that is to replace it.
    func gap(to restored: String, at now: Timestamp) throws(SQLiteError) -> RestoreGap {
        try run("ATTACH ? AS restored", .text(restored))
        return RestoreGap(
            sessionsRevived: try count(
                """
                FROM restored.refresh_tokens r WHERE r.revoked_at IS NULL AND r.expires_at > \(now.milliseconds)
                AND NOT EXISTS (SELECT 1 FROM main.refresh_tokens o WHERE o.id = r.id AND o.revoked_at IS NULL)
                """),
            sessionsBehind: try count(
                """
                FROM restored.refresh_tokens r JOIN main.refresh_tokens o ON o.id = r.id
                WHERE o.generation > r.generation AND o.revoked_at IS NULL AND o.expires_at > \(now.milliseconds)
                """),
            usersRevived: try count(
                """
                FROM restored.users r WHERE r.status = 'ACTIVE'
                AND NOT EXISTS (SELECT 1 FROM main.users o WHERE o.id = r.id AND o.status = 'ACTIVE')
                """),
            usersLost: try count(
                """
                FROM main.users o WHERE o.status <> 'DELETED'
                AND NOT EXISTS (SELECT 1 FROM restored.users r WHERE r.id = o.id)
                """))
    }

    private func count(_ rows: String) throws(SQLiteError) -> Int64 {
        try first("SELECT count(*) \(rows)") { $0.integer(0) } ?? 0
    }
}
