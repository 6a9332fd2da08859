import Gatehouse
import GatehouseStore
import JSON

extension Restored {
    func report(from file: String) -> Report {
        var lines: [[String?]] = [
            ["restored", path], ["from", file], ["kept", kept], ["users", "\(summary.users)"],
            ["sessions", "\(summary.sessions)"], ["ended", "\(sessionsEnded)"],
            ["latest", summary.latest?.description],
        ]
        lines += migrations.map { ["applied", $0] }
        return Report(json: json(from: file), text: ([Table(lines).text] + warnings).joined(separator: "\n"))
    }

    /// What somebody should know who has just turned back time.
    private var warnings: [String] {
        guard let gap else { return [] }
        let revived = sessionsEnded > 0 ? 0 : gap.sessionsRevived
        let behind = sessionsEnded > 0 ? 0 : gap.sessionsBehind
        return [
            (
                revived, "had ended since, and are alive again: --end-sessions ends all, sessions revoke some",
                "sessions"
            ),
            (behind, "were refreshed since: their users sign in again", "sessions"),
            (gap.usersRevived, "were disabled or deleted since, and are active again", "users"),
            (gap.usersLost, "came since, and are gone", "users"),
        ].filter { $0.0 > 0 }.map { "note: \($0.0) \($0.2) \($0.1)" }
    }

    private func json(from file: String) -> JSONValue {
        let difference = gap.map { gap -> JSONValue in
            [
                "sessionsRevived": .integer(gap.sessionsRevived), "sessionsBehind": .integer(gap.sessionsBehind),
                "usersRevived": .integer(gap.usersRevived), "usersLost": .integer(gap.usersLost),
            ]
        }
        return [
            "path": .string(path), "from": .string(file), "kept": JSONValue(kept), "users": .integer(summary.users),
            "sessions": .integer(summary.sessions), "sessionsEnded": .integer(Int64(sessionsEnded)),
            "latest": JSONValue(summary.latest?.description), "applied": .array(migrations.map(JSONValue.string)),
            "since": difference ?? .null,
        ]
    }
}
